"""Failures: one stable code, one sentence, one hint each (DESIGN 10)."""

from __future__ import annotations

import json

import pytest

from memdesk.core import errors
from memdesk.core.errors import MemdeskError, listed

TYPES = [
    t for t in vars(errors).values() if isinstance(t, type) and issubclass(t, MemdeskError) and t is not MemdeskError
]


def test_codes_are_unique_and_exit_codes_are_those_of_the_design() -> None:
    codes = [t.code for t in TYPES]
    assert len(set(codes)) == len(codes) and MemdeskError.code not in codes
    assert {t.code: t.exit_code for t in TYPES if t.exit_code != 1} == {
        "usage": 2,
        "needs_approval": 3,
        "not_found": 4,
    }


@pytest.mark.parametrize("kind", TYPES)
def test_the_json_form_has_code_message_hint_and_the_details(kind: type[MemdeskError]) -> None:
    error = kind("It went wrong.", "Do this.", found_in=["a"])
    assert json.loads(json.dumps(error.as_dict())) == {
        "code": kind.code, "message": "It went wrong.", "hint": "Do this.", "found_in": ["a"],
    }  # fmt: skip
    assert str(error) == "It went wrong."


def test_a_kind_of_failure_may_have_several_codes() -> None:
    error = errors.ScopeError("No such project.", code="project_unresolved", project="x")
    assert error.as_dict()["code"] == "project_unresolved"
    assert errors.ScopeError("No scope.").as_dict()["code"] == "missing_scope"


def test_the_published_name_of_the_chain_error_is_its_code_and_it_is_an_edge_refusal() -> None:
    error = errors.ErrMemoryEdgeChainTooDeep("Too deep.", length=33, limit=32)
    assert error.stable_code == "ErrMemoryEdgeChainTooDeep" == type(error).__name__
    assert isinstance(error, errors.EdgeRefused)
    assert error.extra == {"length": 33, "limit": 32}


def test_a_long_list_is_cut_with_a_count() -> None:
    assert listed(["a", "b"]) == "a, b"
    assert listed(["a", "b", "c", "d"], 2) == "a, b and 2 more"
    assert listed([]) == ""
