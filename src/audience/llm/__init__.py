"""Asking language models: gateways and their layers, providers, the call store, embedders."""

from audience.llm.adapter import (
    TUNED as TUNED,
    tuned_file as tuned_file,
    tuned_missing as tuned_missing,
    tuned_terms as tuned_terms,
)
from audience.llm.batch import (
    Batcher as Batcher,
    together as together,
)
from audience.llm.budget import (
    Budget as Budget,
    BudgetSpent as BudgetSpent,
    Renew as Renew,
    SharedBudget as SharedBudget,
    Spent as Spent,
)
from audience.llm.call_file import copy_calls as copy_calls
from audience.llm.call_store import (
    FILE as FILE,
    GIVEN_UP as GIVEN_UP,
    Call as Call,
    CallLine as CallLine,
    CallStore as CallStore,
    Mode as Mode,
    verify_calls as verify_calls,
)
from audience.llm.choice import OptionChoice as OptionChoice, choice_in as choice_in
from audience.llm.concurrency import FIRST as FIRST
from audience.llm.embedded import SLOWEST as SLOWEST, EmbeddedModel as EmbeddedModel
from audience.llm.embedded_gateway import (
    EMBEDDED_NAME as EMBEDDED_NAME,
    EmbeddedGateway as EmbeddedGateway,
)
from audience.llm.embedder import (
    Embedder as Embedder,
    NoVectors as NoVectors,
    Vectors as Vectors,
    open_embedder as open_embedder,
)
from audience.llm.embedders import (
    MiniLM as MiniLM,
    RemoteEmbedder as RemoteEmbedder,
    Wordllama as Wordllama,
)
from audience.llm.endpoint import (
    Endpoint as Endpoint,
    find_key as find_key,
    key_in as key_in,
    proxy_of as proxy_of,
    read_dotenv as read_dotenv,
    refuse_keys as refuse_keys,
    scrub as scrub,
    trust_of as trust_of,
)
from audience.llm.endpoint_probe import (
    ProbeFindings as ProbeFindings,
    first_call as first_call,
    probe as probe,
)
from audience.llm.fake_answers import answer as answer, free as free
from audience.llm.fields import (
    NOTHING as NOTHING,
    T as T,
    Table as Table,
    agreed as agreed,
    as_ai as as_ai,
    aside as aside,
    number_of as number_of,
    plain_value as plain_value,
    shown as shown,
    sort_out as sort_out,
    squash as squash,
    told as told,
    words as words,
)
from audience.llm.gateway import (
    GatewayStack as GatewayStack,
    compose as compose,
    open_gateway as open_gateway,
)
from audience.llm.lenient_json import (
    Broken as Broken,
    Unreadable as Unreadable,
    answer_in as answer_in,
    cleaned as cleaned,
    loose_json as loose_json,
)
from audience.llm.local_models import get_model as get_model, list_models as list_models
from audience.llm.meter import (
    Counts as Counts,
    Meter as Meter,
    Price as Price,
    Prices as Prices,
    load_prices as load_prices,
    spent_on as spent_on,
)
from audience.llm.openai import open_session as open_session
from audience.llm.person import Person as Person, Terminal as Terminal
from audience.llm.request import (
    ChatMessage as ChatMessage,
    Gateway as Gateway,
    Outcome as Outcome,
    Reply as Reply,
    Request as Request,
    Usage as Usage,
    asked_wait as asked_wait,
    pause as pause,
)
from audience.llm.response_body import (
    LARGEST as LARGEST,
    BadBody as BadBody,
    BodyReader as BodyReader,
)
from audience.llm.structured import (
    CHARACTERS as CHARACTERS,
    TEXT as TEXT,
    Prompts as Prompts,
    Questioner as Questioner,
    Schema as Schema,
    ask_for as ask_for,
    bounded as bounded,
    list_of as list_of,
    object_of as object_of,
    one_of as one_of,
    plain as plain,
    quoted as quoted,
    unanswered as unanswered,
)

# Deprecated names, gone with 0.3.
Message = ChatMessage
Door = GatewayStack
