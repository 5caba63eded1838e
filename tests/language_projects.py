"""One small project for each language, as somebody would write it: what the language tests ingest."""

from __future__ import annotations

RUST = {
    "geo/Cargo.toml": '[package]\nname = "geo"\n',
    "geo/src/lib.rs": "//! Geometry.\n\npub mod shape;\npub mod store;\n\npub const LIMIT: usize = 3;\n",
    "geo/src/shape.rs": """use crate::store::{keep, Store};
use std::fmt;

/// What has an area. More.
pub trait Area {
    /// How large it is.
    fn area(&self) -> f64;

    fn twice(&self) -> f64 {
        self.area() * 2.0
    }
}

/// A circle.
#[derive(Debug, Clone)]
pub struct Circle<T> {
    radius: f64,
    kept: Store<T>,
}

impl<T> Circle<T> {
    /// Makes one.
    #[inline]
    pub fn new(radius: f64) -> Self {
        keep(radius);
        Self { radius, kept: Store::open() }
    }
}

impl<T> Area for Circle<T> {
    fn area(&self) -> f64 {
        self.radius * self.radius
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_keeps() {
        assert_eq!(Circle::<u8>::new(1.0).area(), keep(1.0));
    }
}
""",
    "geo/src/store.rs": """pub struct Store<T> {
    item: T,
}

impl<T> Store<T> {
    pub fn open() -> Self {
        prepare!()
    }
}

pub fn keep(value: f64) -> f64 {
    value
}

macro_rules! prepare {
    () => {
        todo!()
    };
}
""",
    "geo/tests/test_store.rs": "use geo::store::keep;\n\n#[test]\nfn test_keep() {\n    keep(1.0);\n}\n",
}

JAVA = {
    "src/main/java/org/shop/Base.java": """package org.shop;

public abstract class Base<T> {
    protected abstract int total();

    void fill(int n) {
    }
}
""",
    "src/main/java/org/shop/Cart.java": """/*
 * Copyright somebody. Licensed.
 */
package org.shop;

import static org.shop.util.Tools.trimAll;
import org.shop.model.*;

/**
 * A cart. More.
 */
@Deprecated
public class Cart<T> extends Base<T> implements Sized {
    private static final int LIMIT = 3;

    /** Makes one. */
    public Cart(int n) {
        this.fill(n);
    }

    @Override
    public int total() {
        return trimAll(new Sum(LIMIT));
    }

    enum Color {
        RED, GREEN;
    }
}
""",
    "src/main/java/org/shop/util/Tools.java": """package org.shop.util;

public final class Tools {
    public static int trimAll(Object value) {
        return 1;
    }
}
""",
    "src/main/java/org/shop/model/Sum.java": "package org.shop.model;\n\npublic record Sum(int value) {\n}\n",
    "src/test/java/org/shop/CartTest.java": """package org.shop;

class CartTest {
    @Test
    void totalOfNothing() {
        new Cart(0).total();
    }
}
""",
}

C = {
    "src/list.h": """/* Lists. */
#ifndef LIST_H
#define LIST_H

typedef struct list {
    struct list *next;
} list_t;

int list_push(list_t *list, int value);
extern int list_count;

#endif
""",
    "src/list.c": """#include "list.h"
#include <stdlib.h>

#define CHECKED(x) \\
    do {           \\
        check(x);  \\
    } while (0)

int list_count = 0;

static void check(list_t *list) {
    (void)list;
}

/* Pushes.
   More. */
int
list_push(list_t *list, int value)
{
    check(list);
    CHECKED(list);
    return value;
}
""",
    "app/main.c": """#include "../src/list.h"

int main(void) {
    return list_push(0, 1);
}
""",
    "tests/test_list.c": """#include "src/list.h"

void test_push(void) {
    list_push(0, 2);
}
""",
}

CPP = {
    "include/shape.hpp": """#pragma once

namespace geo {

/// What has an area. More.
class Shape {
 public:
  virtual ~Shape() = default;
  virtual double area() const = 0;
};

template <typename T>
class Circle : public Shape {
 public:
  explicit Circle(T radius);
  double area() const override { return square(radius_); }
  int sides() const;

 private:
  T radius_;
};

double square(double x);

}  // namespace geo
""",
    "include/shape.cpp": """#include "shape.hpp"

namespace geo {

template <typename T>
int Circle<T>::sides() const {
  return this->area() > 0;
}

double square(double x) { return x * x; }

}  // namespace geo
""",
    "test/shape_test.cpp": """#include "include/shape.hpp"

TEST(CircleTest, Sides) {
  geo::Circle<int> circle(1);
  EXPECT_EQ(circle.sides(), geo::square(1));
}
""",
}

CSHARP = {
    "Shop/Base.cs": """namespace Shop;

public interface ISized
{
    int Total();
}

public abstract class Base<T>
{
    protected void Fill(int n) { }
}
""",
    "Shop/Cart.cs": """using System;
using static Shop.Util.Tools;

namespace Shop
{
    /// <summary>A cart. More.</summary>
    [Serializable]
    public class Cart<T> : Base<T>, ISized
    {
        private const int Limit = 3;

        public int Count { get; set; }

        /// <summary>Makes one.</summary>
        public Cart(int n)
        {
            this.Fill(n);
        }

        [Obsolete]
        public int Total()
        {
            return TrimAll<int>(Limit);
        }
    }
}
""",
    "Shop/Util/Tools.cs": """namespace Shop.Util
{
    public static class Tools
    {
        public static int TrimAll<T>(T value) => 1;
    }
}
""",
    "Shop.Tests/CartTests.cs": """using Shop;

namespace Shop.Tests;

public class CartTests
{
    [Fact]
    public void TotalOfNothing()
    {
        new Cart<int>(0).Total();
    }
}
""",
}

RUBY = {
    "lib/shop/cart.rb": """# Carts.
require 'shop/tools'
require_relative 'base'

module Shop
  # A cart. More.
  class Cart < Base
    LIMIT = 3

    # Makes one.
    def initialize(n)
      fill(n)
    end

    def total!
      Tools.trim_all(LIMIT)
    end

    def self.open(path) = new(path)
  end
end
""",
    "lib/shop/base.rb": "module Shop\n  class Base\n    def fill(n); end\n\n    def total!; end\n  end\nend\n",
    "lib/shop/tools.rb": "module Shop\n  module Tools\n    def self.trim_all(x)\n      x\n    end\n  end\nend\n",
    "spec/cart_spec.rb": """require 'shop/cart'

describe Shop::Cart do
  it 'has a total' do
    Shop::Cart.open(1).total!
  end
end
""",
    "test/test_tools.rb": """require 'shop/tools'

class TestTools < Minitest::Test
  def test_trim_all
    Shop::Tools.trim_all(1)
  end
end
""",
}

BASH = {
    "bin/deploy": """#!/usr/bin/env bash
# Deploys. More.
set -euo pipefail
source "$(dirname "$0")/../lib/log.sh"
. ./settings.sh

readonly TARGET=prod

# Sends it.
send_all() {
  log::say "to $TARGET" | sort
  if is_ready; then echo; fi
}

function is_ready {
  true
}

send_all "$@"
""",
    "bin/settings.sh": "LIMIT=3\n",
    "lib/log.sh": 'log::say() {\n  echo "$1"\n}\n',
    "test/test_log.sh": ". lib/log.sh\n\ntest_say() {\n  log::say x\n}\n",
}
