"""Secrets: what is taken out, that lines stay where they are, and what is left alone."""

from __future__ import annotations

import random
import string
import sysconfig
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from retrieval.ingest import Document, IngestSettings, RecordInput, ingest_documents, put_records
from retrieval.ingest.secret_rules import RULE_NAMES
from retrieval.ingest.secrets import SecretSettings, redact
from retrieval.store.interface import Store
from retrieval.store.lmdb import LmdbSettings, open_store
from tests.ingest_room import CODE, TENANT, live_records, parsed, reasons, take, write_tree

_CHANCE = random.Random(7)
_WORD = string.ascii_letters + string.digits


def made(length: int, alphabet: str = _WORD) -> str:
    """Random characters: nothing that looks like a secret stands in this file."""
    return "".join(_CHANCE.choice(alphabet) for _ in range(length))


KEY_BODY = "\n".join(made(64) for _ in range(4))
ARMOUR = "-----{} RSA PRIVATE" + " KEY-----"
PEM = f"{ARMOUR.format('BEGIN')}\n{KEY_BODY}\n{ARMOUR.format('END')}\n"

KEY = made(31) + "7"
URL = "https://u:hunter2!@wiki.local/x"

FOUND = [
    ("private_key", "keys.py", f'KEY = """{PEM}"""\n', KEY_BODY.split("\n", 1)[0]),
    ("private_key", "keys.js", f"const key = '{PEM}'\n".replace("\n", "\\n"), KEY_BODY[:64]),
    *(
        (rule, path, text.format(secret), secret)
        for rule, path, text, secret in [
            ("aws_access_key", "a.py", 'key = "{}"\n', "AKIA" + made(16, "ABCDEFGH234567")),
            ("aws_secret_key", "conf.ini", "aws_secret_access_key = {}\n", made(40)),
            ("google_key", "a.js", "init('{}')\n", "AIza" + made(35)),
            ("google_oauth", "a.js", "secret('{}')\n", "GOCSPX-" + made(28)),
            ("azure_storage_key", "a.cs", '"AccountName=x;AccountKey={};"\n', made(86) + "=="),
            ("github_token", "a.sh", "curl -u x:{}\n", "ghp_" + made(36)),
            ("gitlab_token", "a.yml", "- run {}\n", "glpat-" + made(20)),
            ("slack_token", "a.go", 'New("{}")\n', f"xoxb-{made(11, '123')}-{made(24)}"),
            ("slack_webhook", "a.go", '"https://hooks.slack.com/services/{}"\n', "T0" + made(42)),
            ("stripe_key", "a.rb", 'Stripe.key = "{}"\n', "sk_live_" + made(24)),
            ("sendgrid_key", "a.py", 'send("{}")\n', f"SG.{made(22)}.{made(43)}"),
            ("npm_token", "a.txt", "//registry/:_auth={}\n", "npm_" + made(36)),
            ("pypi_token", "a.txt", "upload {}\n", "pypi-AgEIcHlwaS5vcm" + made(60)),
            ("digitalocean_token", "a.tf", 'token "{}"\n', "dop_v1_" + made(64, "0123456789abcdef")),
            ("hugging_face_token", "a.py", 'login("{}")\n', "hf_" + made(34, string.ascii_letters)),
            ("anthropic_key", "a.md", "export K {}\n", "sk-ant-api03-" + made(93)),
            ("openai_key", "a.md", "export K {}\n", f"sk-proj-{made(40)}T3BlbkFJ{made(40)}"),
            ("json_web_token", "a.http", "Cookie {}\n", f"eyJ{made(20)}.eyJ{made(40)}.{made(43)}"),
            ("connection_string", "a.py", 'connect("postgres://app:{}@db.local/shop")\n', "hunter2!"),
            ("connection_string", "a.cs", '"Server=db;User Id=sa;Password={};"\n', "S3cr3t!9x"),
            ("authorization", "a.md", "Authorization: Bearer {}\n", made(30) + "7"),
            ("assigned_password", "a.py", 'DB_PASSWORD = "{}"\n', "hunter22x"),
            ("assigned_password", "a.yml", "password: {}\n", "hu$ter%22*x"),
            ("assigned_key", "a.json", '{{"api_key": "{}"}}\n'.replace("{{", "[").replace("}}", "]"), made(31) + "7"),
            ("assigned_key", "settings.py", 'SECRET_KEY = "{}"\n', made(49) + "7"),
        ]
    ),
]


@pytest.mark.parametrize(("rule", "path", "text", "secret"), FOUND)
def test_each_rule_takes_its_secret_out_and_nothing_else(rule: str, path: str, text: str, secret: str) -> None:
    done = redact(text, path)
    assert done.counts == ((rule, 1),)
    assert secret not in done.text
    assert f"[redacted: {rule}]" in done.text
    assert done.text.count("\n") == text.count("\n")
    assert redact(done.text, path).counts == ()
    off = tuple({rule, "assigned_key", "assigned_password"})
    assert redact(text, path, SecretSettings(off=off)).text == text


def test_there_is_a_test_for_every_rule() -> None:
    assert {rule for rule, *_ in FOUND} == RULE_NAMES


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "password = get_password(user1)\n"),
        ("a.py", 'password = os.environ["DB_PASSWORD_2"]\n'),
        ("a.py", 'parser.add_argument("--password", help="the password")\n'),
        ("a.py", "token = self.tokens[index + 12345678901]\n"),
        ("a.py", 'TOKEN_URL = "https://auth.example.com/oauth2/token"\n'),
        ("a.py", 'key = "content-type-header-name-2"\n'),
        ("a.py", 'access_key = "AKIAIOSFODNN7EXAMPLE"\n'),
        ("a.yml", "password: ${DB_PASSWORD_1}\n"),
        ("a.yml", "password: <your password1>\n"),
        ("a.yml", "password: changeme123\n"),
        ("a.md", "postgres://user:password@localhost/db\n"),
        ("a.json", '{"ChangeToken": "7c9e6679-7425-40de-944b-e07fc1f90ae7"}\n'),
        ("a.json", '{"secret": "application/vnd.docker.v1"}\n'),
        ("a.py", f"{ARMOUR.format('BEGIN')!r} in text\n"),
        ("", "I forgot my password: it is somewhere, and the secret of a good token is rest.\n"),
    ],
)
def test_ordinary_code_and_placeholders_are_left_alone(path: str, text: str) -> None:
    assert redact(text, path).text == text


def test_the_standard_library_holds_no_secret() -> None:
    for file in sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py"))[:60]:
        assert redact(file.read_text("utf-8"), file.name).counts == (), file


def test_line_numbers_after_a_redacted_key_stay_and_the_count_is_in_the_summary(tmp_path: Path, store: Store) -> None:
    text = f'KEY = """{PEM}"""\n\n\ndef after():\n    pass\n'
    tree = write_tree(tmp_path / "tree", {"keys.py": text, "notes.md": "# Login\n\npassword: hunter22x\n"})
    summary = take(store, tree)
    assert reasons(summary) == {"redacted_private_key": 1, "redacted_assigned_password": 1}
    [after] = [record for record in live_records(store) if record.title == "after"]
    assert after.lines is not None
    assert text.split("\n")[after.lines.start - 1] == "def after():"
    texts = "".join(record.text + record.outline + record.gist for record in live_records(store))
    assert "hunter22x" not in texts
    assert KEY_BODY[:64] not in texts
    assert take(store, tree).files_unchanged == 2


def test_records_are_redacted_too(store: Store) -> None:
    given = RecordInput(
        "r", "note", "login", "password: hunter22x", (("url", "redis://u:hunter2!@h"), ("api_key", KEY)), URL
    )
    written, _ = store.write(TENANT, lambda txn: put_records(txn, CODE, [given], [], "host"))
    assert dict(written.reasons) == {
        "redacted_assigned_password": 1,
        "redacted_assigned_key": 1,
        "redacted_connection_string": 2,
    }
    [record] = live_records(store)
    assert record.origin == "https://u:[redacted: connection_string]@wiki.local/x"
    assert record.text == "password: [redacted: assigned_password]"
    assert record.attributes == (
        ("api_key", "[redacted: assigned_key]"),
        ("url", "redis://u:[redacted: connection_string]@h"),
    )


def test_sent_documents_are_redacted_and_rules_can_be_switched_off(store: Store) -> None:
    document = Document("a.yml", b"password: hunter22x\n")
    summary = ingest_documents(store, TENANT, CODE, [document], source="host")
    assert reasons(summary) == {"redacted_assigned_password": 1}
    settings = IngestSettings(secrets=SecretSettings(off=("assigned_password",)))
    assert "hunter22x" in parsed("a.yml", document.content, settings).pieces[0].text


def test_an_unknown_rule_is_an_error_that_lists_the_rules() -> None:
    with pytest.raises(ValueError, match=r"off names no rule: passwords; there are .*assigned_password"):
        SecretSettings(off=("passwords",))


_BEGUN = (
    *("eyJ", "-eyJ", "eyJaaaaaaaaaa.", "eyJaaaaaaaaaa.eyJ", "AKIA", "AIza", "ya29.", "GOCSPX-", "AccountKey=", "ghp_"),
    *("github_pat_", "glpat-", "xoxb-", "xoxb-a-", "hooks.slack.com/services/", "sk_live_", "SG.", "npm_", "hf_"),
    *("pypi-AgEIcHlwaS5vcm", "dop_v1_", "sk-", "sk-ant-aa-", "://", "://a:", ";Password=", ";pwd=", "\\n", "a-"),
    *("uthorization: Bearer ", "aws_secret_access_key=", ARMOUR.format("BEGIN"), ARMOUR.format("BEGIN") + "\n"),
)


@pytest.mark.parametrize("begun", _BEGUN)
def test_a_text_of_beginnings_takes_time_that_grows_with_its_length(begun: str) -> None:
    text = (begun * (500_000 // len(begun) + 1))[:500_000]
    before = time.thread_time()
    redact(text)
    assert time.thread_time() - before < 3.0  # they take 0.02 to 1 s; read anew from each beginning, 4 s to 16


def test_a_key_without_an_end_ends_where_the_next_begins() -> None:
    cut = PEM[: PEM.index("-----END")]
    assert redact(cut + "\n" + PEM).counts == (("private_key", 2),)
    assert KEY_BODY[:64] not in redact(cut + "\n" + PEM).text


def test_text_whose_small_letters_are_longer_is_redacted_in_the_right_place() -> None:
    assert redact("İİİ password = 'hunter22x' İ", "a.py").text == "İİİ password = '[redacted: assigned_password]' İ"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store(tmp_path / "store", LmdbSettings(map_bytes=2**24))
    yield opened
    opened.close()
