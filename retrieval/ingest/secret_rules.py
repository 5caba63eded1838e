"""The rules by which secrets are known: a name, a pattern, and what must hold of what it finds.

The patterns follow what the issuers document and what two public rule sets agree on: gitleaks (`config/gitleaks.toml`)
and detect-secrets' plugins, in our own words. detect-secrets itself reads some 0.08 MB/s of Python (measured on
CPython's library), a tenth of the speed of all of ingest, so it is no part of it. Each pattern begins with a literal,
for then Python's engine scans 500 to 1,000 MB/s; with an alternation first it scans 15.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, unique


@unique
class Verdict(Enum):
    """What else must hold of a found value."""

    SHAPE = "shape"
    """The pattern is enough, unless the value is an example's."""
    PASSWORD = "password"  # noqa: S105  # names a way to judge
    """A word that a person may have chosen; no placeholder."""
    KEY = "key"
    """A long value without pattern; no placeholder, no identifier."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One pattern of one kind of secret; several may share a name.

    Where `least` is 0 the pattern's group `secret` is taken out or, where it has none, all that it matches, unless it
    stands within a word. A match in which no group of the pattern takes part is passed over: so what looks like the
    beginning of a secret and is none is read once, and not anew from each of its characters. Else the pattern is a name
    and an assignment, looked for in lower case, and the value of at least so many characters that follows is taken out:
    a quoted one, or, where nothing is computed (in configuration, documents and speech), any word.
    """

    name: str
    pattern: re.Pattern[str]
    verdict: Verdict = Verdict.SHAPE
    least: int = 0


def _found(name: str, pattern: str, verdict: Verdict = Verdict.SHAPE) -> Rule:
    return Rule(name, re.compile(pattern), verdict)


def _assigned(name: str, pattern: str, verdict: Verdict, least: int) -> Rule:
    operator = r"[0-9]?[\"']?[ \t]{0,8}(?:=>|:=|[=:](?![=:]))[ \t]{0,8}"
    return Rule(name, re.compile(pattern + operator), verdict, least)


_BEFORE_KEY = (
    "api_",
    "api-",
    "api",
    "access_",
    "access-",
    "access",
    "auth_",
    "auth-",
    "private_",
    "encryption_",
    "signing_",
)
"""What makes of a key one that opens something."""

RULES: tuple[Rule, ...] = (
    # RFC 7468, RFC 4716 and PGP's armour (RFC 9580, section 6.2): the body, so that the marks still say what it was. It
    # reaches no further than the next mark, so going back in it is linear. No possessive group: Python before 3.11.4
    # matches none that a name is around.
    _found(
        "private_key",
        r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
        r"(?P<secret>(?:[\sA-Za-z0-9+/=:,.()\"'_]|-(?!----)|\\[rn]){64,20000})(?=-----END|-----BEGIN|\Z)",
    ),
    # AWS, "IAM identifiers": unique id prefixes of long-term and temporary keys
    _found("aws_access_key", r"A(?:KIA|SIA)[A-Z2-7]{16}(?![A-Za-z0-9])"),
    _assigned("aws_secret_key", r"aws_secret_access_key", Verdict.KEY, 40),
    # Google Cloud, "Manage API keys" and "OAuth 2.0": prefixes of keys, access tokens, client secrets
    _found("google_key", r"AIza[\w-]{35}(?![\w-])"),
    _found("google_oauth", r"ya29\.[\w-]{20,400}"),
    _found("google_oauth", r"GOCSPX-[\w-]{28}"),
    # Azure Storage, "Configure connection strings"
    _found("azure_storage_key", r"AccountKey=(?P<secret>[A-Za-z0-9+/]{86}==)"),
    # GitHub, "Token types"; GitLab, "Token prefixes"
    _found("github_token", r"gh[pousr]_[A-Za-z0-9]{36,255}(?!\w)"),
    _found("github_token", r"github_pat_\w{82}(?!\w)"),
    _found("gitlab_token", r"gl(?:pat|dt|rt)-[\w-]{20,200}"),
    # Slack, "Token types" and "Incoming webhooks"
    _found("slack_token", r"xox[abeoprs]-(?:\w{1,80}-){1,4}\w{6,80}"),
    _found("slack_webhook", r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<secret>[A-Za-z0-9+/]{40,60})"),
    # Stripe, "API keys"; SendGrid; npm; PyPI (a macaroon); DigitalOcean; Hugging Face: as their documents show them
    _found("stripe_key", r"sk_(?:live|test)_[A-Za-z0-9]{10,99}(?!\w)"),
    _found("stripe_key", r"rk_(?:live|test)_[A-Za-z0-9]{10,99}(?!\w)"),
    _found("sendgrid_key", r"SG\.[\w-]{22}\.[\w-]{43}(?![\w-])"),
    _found("npm_token", r"npm_[A-Za-z0-9]{36}(?!\w)"),
    _found("pypi_token", r"pypi-AgEIcHlwaS5vcm[\w-]{50,400}"),
    _found("digitalocean_token", r"do[opr]_v1_[a-f0-9]{64}(?!\w)"),
    _found("hugging_face_token", r"hf_[A-Za-z]{34}(?!\w)"),
    # Keys of model providers, as gitleaks has them
    _found("anthropic_key", r"sk-ant-[a-z0-9]{2,12}-[\w-]{80,200}"),
    _found("openai_key", r"sk-(?:[a-z]{2,10}-)?[\w-]{16,100}T3BlbkFJ[\w-]{16,100}"),
    # RFC 7519: header and payload are objects, so both begin with `{"` in base64
    _found("json_web_token", r"eyJ[\w-]{10,4000}+(?:\.eyJ[\w-]{10,8000}+\.(?P<signature>[\w-]{10,4000}))?"),
    # RFC 3986, section 3.2.1: user information, of which only the password is taken out
    _found(
        "connection_string",
        r"://[^\s/:@\"'<>`\\]{0,100}:(?P<secret>[^\s/:@\"'<>`\\]{3,200})@(?=[A-Za-z0-9\[])",
        Verdict.PASSWORD,
    ),
    # ADO.NET, "Connection string syntax": a password among other parts
    _found(
        "connection_string",
        r"assword=(?:(?<=;[Pp]assword=)|(?<=; [Pp]assword=))(?P<secret>[^\s;\"'<>{}]{4,200})",
        Verdict.PASSWORD,
    ),
    _found(
        "connection_string", r"wd=(?:(?<=;[Pp]wd=)|(?<=; [Pp]wd=))(?P<secret>[^\s;\"'<>{}]{4,200})", Verdict.PASSWORD
    ),
    # RFC 9110, section 11.6.2
    _found(
        "authorization",
        r"uthorization[\"']?\s{0,4}[:=,]\s{0,4}[\"']?(?:[Bb]earer|[Bb]asic|[Tt]oken)\s+(?P<secret>[\w.~+/=-]{16,4000})",
        Verdict.KEY,
    ),
    # Assignments: what detect-secrets' KeywordDetector and gitleaks' generic-api-key look for
    _assigned("assigned_password", r"passw(?:or)?d", Verdict.PASSWORD, 6),
    _assigned("assigned_password", r"passphrase", Verdict.PASSWORD, 6),
    _assigned("assigned_password", r"pwd", Verdict.PASSWORD, 6),
    _assigned("assigned_key", r"secret(?:_?(?:key|id))?", Verdict.KEY, 16),
    _assigned("assigned_key", r"token(?<!publickeytoken)(?:_?(?:key|id))?", Verdict.KEY, 16),
    _assigned("assigned_key", r"credentials?", Verdict.KEY, 16),
    _assigned(
        "assigned_key", "key(?:" + "|".join(rf"(?<={before}key)" for before in _BEFORE_KEY) + ")", Verdict.KEY, 16
    ),
)
"""In this order: what an earlier rule takes out, a later one does not see."""

RULE_NAMES: frozenset[str] = frozenset(rule.name for rule in RULES)
"""What settings may switch off."""

QUOTED = re.compile(r"[bru]?(?P<mark>[\"'])(?P<secret>[^\"'\s\\]{1,200})(?P=mark)")
"""A value between quotes, without blanks."""

BARE = re.compile(r"(?P<secret>[^\s\"'`,;<>(){}\[\]|]{1,200})(?=[\s,;.|]|$)")
"""A value that ends with a blank, a comma or the line."""
