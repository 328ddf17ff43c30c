"""The language mind: decides by asking a model, with what the agent sees and remembers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from msgspec.structs import replace

from audience.agents.language.exit_interview import exit_interview, leaves
from audience.agents.language.faithful import FaithfulMind
from audience.agents.language.joint import play
from audience.agents.language.news import read_faithfully, read_fused
from audience.agents.language.prompts import CONTEXTS, NAME, holes_of, mind_prompts, snippets
from audience.agents.language.reply_actions import actions_of
from audience.agents.language.reply_reader import read
from audience.agents.language.reply_schema import (
    AnyReply,
    PageReply,
    Wording,
    in_time,
    schema_of,
)
from audience.agents.language.scored import ScoredChoices
from audience.agents.mind import Decision, Scene, Script
from audience.agents.rule import RuleMind
from audience.errors import BadInput, unknown
from audience.llm import (
    ChatMessage,
    Gateway,
    Questioner,
    Reply,
    Unreadable,
    plain,
    quoted,
    unanswered,
)
from audience.memory import Memory
from audience.outside import FilePath, ModelName, PromptFolder
from audience.parts import ChoiceEvidence, Options, PartContext
from audience.world import Agent, Dice, Observation, Thought, actions as a


@runtime_checkable
class Pausing(Protocol):
    """A memory that lets agents pause on some pages."""

    def pause(self, me: Agent) -> bool:
        """Return True if the agent should now reflect on its visit."""
        ...


def pauses(memory: Memory, seen: Observation) -> bool:
    """Return True if an agent pauses before it decides on a page."""
    on_page = seen.surface in a.PAGE_SURFACES
    return on_page and isinstance(memory, Pausing) and memory.pause(seen.me)


PROMPTINGS = ("fused", "faithful")
DECIDING = ("write", "score", "glance")
AT_HOME = 2
"""Long-term thoughts recalled at home, where there is little to be reminded by."""
BEHAVIOURS = {
    "home": "home",
    **dict.fromkeys(a.PAGE_SURFACES, "page"),
    "social": "social",
    "conversation": "talk",
}


class LLMMind:
    """A mind that asks a language model; only what the model named is attempted."""

    consolidation = "fused"
    """The way of consolidation that suits this mind."""

    def __init__(
        self,
        gateway: Gateway,
        grounds: ChoiceEvidence | None = None,
        *,
        model: ModelName = "",
        prompting: str = "fused",
        prompts: PromptFolder = "",
        temperature: float = 0.8,
        max_tokens: int = 300,
        recall: int = 5,
        context: Sequence[str] = ("weekday",),
        evidence: bool = False,
        also: Sequence[str] = (),
        words: str = "",
        interview: bool = False,
        deciding: str = "write",
        choosy: float = 0.0,
        glances: int = 1,
        parameters: FilePath = "",
    ) -> None:
        """`evidence`: pages show what `grounds` know, and the raw history replaces the profile.

        `also` names what may be done with items of a page besides picking them. `words`: what is
        said beside decisions, `none`, `short` (feelings) or `full` (and reasons); by default those
        who have the habit of commenting say how they feel. `interview`: whoever leaves after a page
        is asked how satisfied they are, and why. `deciding`: `write`; `score`, a choice among
        a page's places by the log-probabilities of one token; or `glance`, at so many items, by
        those of yes and no. Then `choosy` is added to the log-odds of taking nothing, and what
        follows a pick follows the laws of rule minds with these `parameters`.
        """
        if evidence and grounds is None:
            raise BadInput("evidence = true needs a past to learn from; use data that has one")
        for kind in context:
            if kind not in CONTEXTS:
                raise unknown("context", kind, CONTEXTS)
        if prompting not in PROMPTINGS:
            raise unknown("prompting", prompting, PROMPTINGS)
        if deciding not in DECIDING:
            raise unknown("deciding", deciding, DECIDING)
        self.pack = mind_prompts(prompts, model)
        self.questions = Questioner(
            gateway, self.pack, temperature=temperature, max_tokens=max_tokens
        )
        self.recall = recall
        self.context = tuple(context)
        self.wording = Wording(words, tuple(also))
        self.grounds = grounds if evidence else None
        self.interviews = interview
        self.faithful = FaithfulMind(self) if prompting == "faithful" else None
        self.scored: ScoredChoices | None = None
        if deciding != "write":
            _refuse_words(deciding, words, also, prompting)
            glances = glances if deciding == "glance" else 0
            self.scored = ScoredChoices(self, RuleMind(parameters=parameters), choosy, glances)
        elif choosy or parameters:
            raise BadInput('choosy and parameters are of minds with deciding = "score" or "glance"')

    @classmethod
    def build(cls, context: PartContext, /, **options: Any) -> LLMMind:  # noqa: ANN401
        """Return a mind that asks through the gateway of the run."""
        grounds = context.fit_grounds() if cls.uses_grounds(options) else None
        return cls(context.door, grounds, **{"model": context.model, **options})

    @staticmethod
    def asks_models(options: Options, suited: str) -> bool:
        del options, suited
        return True

    @staticmethod
    def uses_grounds(options: Options) -> bool:
        return bool(options.get("evidence", False))

    async def decide(self, seen: Observation, memory: Memory, dice: Dice) -> Decision:
        seen = self.considered(seen)
        limit = min(self.recall, AT_HOME) if seen.surface == "home" else self.recall
        found = await memory.recall(seen.me, cue_of(seen), seen.now, limit)
        if seen.surface == "news":
            read = read_fused if self.faithful is None else read_faithfully
            decision = await read(self, seen, found.thoughts, dice)
        else:
            decide = self._decide if self.faithful is None else self.faithful.decide
            decision = await decide(seen, found.thoughts, dice, pause=pauses(memory, seen))
        if self.interviews and leaves(seen, decision):
            decision = await exit_interview(self, seen, found.thoughts, decision, dice)
        ids = tuple(thought.id for thought in found.thoughts)
        return replace(decision, recalled=ids, cut=found.cut)

    async def play(self, scene: Scene, memory: Memory, dice: Dice) -> Script:
        return await play(self, scene, memory, dice)

    async def _decide(
        self, seen: Observation, recalled: Sequence[Thought], dice: Dice, *, pause: bool
    ) -> Decision:
        behaviour = BEHAVIOURS[seen.surface]
        if self.scored and self.scored.decides(seen):
            return await self.scored.decide(seen, recalled, dice, behaviour)
        draw = float(dice.uniform("company")[0])
        wording = replace(self.wording, pause=pause)
        messages = self.messages(seen, recalled, behaviour, draw, wording)
        answer = await self.questions.ask_for(
            behaviour,
            messages,
            int(dice.keys[0]),
            lambda reply: understood(seen, reply, wording.also),
            schema_of(seen, wording),
        )
        found, calls = answer.value, answer.calls
        if isinstance(found, Unreadable):
            return Decision((), "", calls, failure=f"{behaviour}: {found.why}")
        emotion = found.emotion if pause and isinstance(found, PageReply) else ""
        why = getattr(found, "why", "")[:300]
        return Decision(actions_of(seen, found), why, calls, emotion=emotion)

    def messages(
        self,
        seen: Observation,
        recalled: Sequence[Thought],
        behaviour: str,
        draw: float = 0.0,
        wording: Wording | None = None,
        form: str = "",
    ) -> tuple[ChatMessage, ...]:
        """Return the prompt of a behaviour, beginning with what is the same for everybody.

        `form` ends the names of its files: `_choice` for those that ask for one token.
        """
        wording = wording or self.wording
        told = self.told(seen) if behaviour == "page" else None
        holes = holes_of(
            seen,
            recalled,
            behaviour,
            contexts=self.context,
            draw=draw,
            told=told,
            wording=wording,
        )
        if seen.lines:
            friend = seen.friends[0]
            other = plain(friend.name, NAME) or "a friend"
            holes |= {
                "other": other,
                "tie": plain(friend.kind, NAME) or "an acquaintance",
                "lines": "\n".join(
                    f"{'You' if said.agent == seen.me.profile.id else other}: {quoted(said.text)}"
                    for said in seen.lines
                ),
            }
        asked = f"{behaviour}{form}"
        for name in snippets(seen, wording):
            if not form or behaviour == "home":
                holes[name] = self.pack.fill(f"{asked}_{name}", holes)
        rules = [self.pack.fill(name, holes) for name in ("rules", f"{asked}_rules")]
        system = "\n\n".join(filter(None, [*rules, self.pack.examples(asked)]))
        return ChatMessage("system", system), ChatMessage("user", self.pack.fill(asked, holes))

    def considered(self, seen: Observation) -> Observation:
        """Return what an agent sees, as far as it catches the eye.

        With evidence, that is what people with such a history take at least half as readily as
        the best of the page. A model alone hardly makes use of evidence on all of it.
        """
        now = seen.me.situation
        if self.grounds is None or not now.slate or seen.surface not in a.PAGE_SURFACES:
            return seen
        history = [lived.item for lived in seen.me.history]
        (odds,) = self.grounds.log_odds([history], [now.slate])
        places = np.flatnonzero(odds >= odds.max() - math.log(2.0)).tolist()
        slate = tuple(now.slate[place] for place in places)
        reasons = tuple(now.reasons[place] for place in places) if now.reasons else ()
        return replace(
            seen, me=replace(seen.me, situation=replace(now, slate=slate, reasons=reasons))
        )

    def told(self, seen: Observation) -> Sequence[str] | None:
        """Return the evidence on each item of the page in words; None without evidence."""
        if self.grounds is None:
            return None
        history = [lived.item for lived in seen.me.history]
        return self.grounds.words(history, seen.me.situation.slate)


def _refuse_words(deciding: str, words: str, also: Sequence[str], prompting: str) -> None:
    """Raise where more than a choice is wanted of minds that decide by scoring."""
    given = {
        "words": words not in ("", "none"),
        "also": bool(also),
        "prompting": prompting != "fused",
    }
    for name, is_given in given.items():
        if is_given:
            raise BadInput(f'deciding = "{deciding}" asks for one token; leave out {name}')


def understood(seen: Observation, reply: Reply, also: Sequence[str] = ()) -> AnyReply | Unreadable:
    """Return what a reply means for the agent that asked."""
    in_time(reply)
    return unanswered(reply) or read(seen, reply.text, also)


def cue_of(seen: Observation) -> str:
    """Return the cue for recalling memories: what the agent sees now."""
    titles = [seen.catalogue[item].title for item in seen.me.situation.slate]
    said = [line.text for line in seen.lines[-2:]]
    posts = [message.text for message in seen.me.inbox[-3:]]
    return " ".join([*titles, *said, *posts]) or " ".join(seen.me.profile.interests)
