from __future__ import annotations

from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given, settings, strategies as st

from audience.world import Item, Profile, actions as a, changes as c, events as e

NUMBERS = st.integers(-(2**53), 2**53)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
LEAVES: dict[Any, st.SearchStrategy[Any]] = {
    int: NUMBERS,
    float: FLOATS,
    str: st.text(max_size=12),
    bool: st.booleans(),
    float | None: st.none() | FLOATS,
    int | None: st.none() | NUMBERS,
    dict[str, float]: st.dictionaries(st.text(max_size=5), FLOATS, max_size=2),
    dict[str, Any]: st.dictionaries(st.text(max_size=5), st.text(max_size=5) | NUMBERS, max_size=2),
}


def made(kind: Any) -> st.SearchStrategy[Any]:
    """Return values of a type: a struct field by field, a union by its members."""
    if kind in LEAVES:
        return LEAVES[kind]
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        fields = msgspec.structs.fields(kind)
        return st.builds(kind, **{field.name: made(field.type) for field in fields})
    if getattr(kind, "__origin__", None) is tuple:
        return st.lists(made(get_args(kind)[0]), max_size=3).map(tuple)
    return st.one_of([made(member) for member in get_args(kind)])


EVENTS = get_args(e.AnyEvent)


@pytest.mark.parametrize("kind", EVENTS, ids=lambda kind: kind.__name__)
@settings(max_examples=25)
@given(st.data())
def test_every_event_reads_as_it_was_written(kind: type, data: st.DataObject) -> None:
    entry = e.Entry(data.draw(made(kind)), data.draw(st.text(max_size=5)), ("call",))
    for codec in (msgspec.json, msgspec.msgpack):
        read = codec.decode(codec.encode(entry), type=e.Entry)
        assert read == entry
        assert type(read.event) is kind


@pytest.mark.parametrize("kind", get_args(c.AnyChange), ids=lambda kind: kind.__name__)
@settings(max_examples=25)
@given(st.data())
def test_every_change_reads_as_it_was_written(kind: type, data: st.DataObject) -> None:
    event = e.Intervened(data.draw(made(kind)))
    assert msgspec.json.decode(msgspec.json.encode(event), type=e.AnyEvent) == event


@pytest.mark.parametrize("kind", get_args(a.AnyAction), ids=lambda kind: kind.__name__)
@settings(max_examples=25)
@given(st.data())
def test_every_action_reads_as_it_was_written(kind: type, data: st.DataObject) -> None:
    action = data.draw(made(kind))
    assert msgspec.json.decode(msgspec.json.encode(action), type=a.AnyAction) == action


@settings(max_examples=25)
@given(made(Item), made(Profile))
def test_items_and_people_read_as_they_were_written(item: Item, person: Profile) -> None:
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(item), type=Item) == item
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(person), type=Profile) == person


def test_an_event_is_written_as_an_array_with_its_name_first() -> None:
    assert msgspec.json.encode(e.Picked(7, 42, 3)) == b'["Picked",7,42,3]'


def test_an_older_log_without_the_newer_fields_still_reads() -> None:
    read = msgspec.json.decode(b'["Posted",7,"1.7.0","Hello"]', type=e.AnyEvent)
    assert read == e.Posted(7, "1.7.0", "Hello", (), 0.0)


def test_an_unknown_event_is_not_read() -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(b'["Exploded",7]', type=e.AnyEvent)


def test_every_event_class_is_in_the_union() -> None:
    assert set(EVENTS) == set(e.Event.__subclasses__())
    assert set(get_args(c.AnyChange)) == set(c.Change.__subclasses__())
    assert set(get_args(a.AnyAction)) == set(a.Action.__subclasses__())


def test_facts_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        e.Picked(7, 42, 3).item = 4  # type: ignore[misc]


def test_phases_are_named_in_order() -> None:
    assert [e.PHASES[phase] for phase in (e.OPENING, e.VISITS, e.CLOSING)] == [
        "opening",
        "visits",
        "closing",
    ]
