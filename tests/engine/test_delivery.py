from __future__ import annotations

from audience.engine.platform import delivered
from audience.testing import tiny_genesis
from audience.world import World, events as e


def tiny_world() -> World:
    return World(tiny_genesis(8, 5))


def test_a_post_reaches_those_who_listen() -> None:
    post = e.Posted(0, "1.0.0", "Look", (3,), 0.5)
    assert delivered(tiny_world(), [post]) == [
        e.Delivered("1.0.0", 0, (1, 2, 6, 7), "Look", (3,), 0.5)
    ]


def test_listening_has_a_direction() -> None:
    world = tiny_world()
    world.graph.cut(0, 1)
    world.graph.add(4, 1, "followed", 0.2)
    (delivery,) = delivered(world, [e.Posted(1, "1.1.0", "Look")])
    assert set(delivery.to) == {2, 3, 7, 4}


def test_a_forwarded_post_keeps_its_author_who_is_not_told() -> None:
    post = e.Forwarded(1, "2.1.0", "1.0.0", 0, "Look", (3,), 0.5)
    assert delivered(tiny_world(), [post]) == [
        e.Delivered("2.1.0", 0, (2, 3, 7), "Look", (3,), 0.5)
    ]


def test_a_post_that_nobody_hears_is_not_delivered() -> None:
    world = World(tiny_genesis(1, 5))
    assert delivered(world, [e.Posted(0, "1.0.0", "Hello?")]) == []


def test_posts_keep_their_order() -> None:
    posts = [e.Posted(who, f"1.{who}.0", "x") for who in (5, 2, 7)]
    assert [one.post for one in delivered(tiny_world(), posts)] == ["1.5.0", "1.2.0", "1.7.0"]
