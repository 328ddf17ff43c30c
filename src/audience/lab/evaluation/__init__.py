"""Evaluations of minds, memories and recommenders against what real people did."""

from audience.lab.evaluation.activity import (
    activity_values as activity_values,
    fits_of as fits_of,
    foot as foot,
    table as table,
)
from audience.lab.evaluation.baselines import Ground as Ground, unit as unit
from audience.lab.evaluation.cases import (
    MATCHED as MATCHED,
    UNIFORM as UNIFORM,
    WINDOW as WINDOW,
    Case as Case,
    TaskSet as TaskSet,
    stars_given as stars_given,
)
from audience.lab.evaluation.contest import (
    AnswerStore as AnswerStore,
    ContestAnswers as ContestAnswers,
    Progress as Progress,
    joined as joined,
    play as play,
)
from audience.lab.evaluation.contest_pieces import (
    ContestSource as ContestSource,
    answered_by as answered_by,
    done_in as done_in,
    pieces_of as pieces_of,
)
from audience.lab.evaluation.contest_verdict import stored_finding as stored_finding
from audience.lab.evaluation.contestants import (
    ContestRules as ContestRules,
    Doors as Doors,
    asked_mind as asked_mind,
    baseline_contestants as baseline_contestants,
    check_tuned as check_tuned,
    is_tuned as is_tuned,
    kinds_of as kinds_of,
    mind_contestants as mind_contestants,
    models_for as models_for,
)
from audience.lab.evaluation.discrimination import (
    PEOPLE_CHOICES as PEOPLE_CHOICES,
    SHAPES as SHAPES,
    JudgedChoice as JudgedChoice,
    PeopleChoices as PeopleChoices,
    arenas as arenas,
    discrimination_result as discrimination_result,
    read_answers as read_answers,
    shape_name as shape_name,
)
from audience.lab.evaluation.forgetting_figures import (
    forgetting_curves as forgetting_curves,
    forgetting_of as forgetting_of,
)
from audience.lab.evaluation.generation import (
    GeneratedSteps as GeneratedSteps,
    edit_distance as edit_distance,
    generation_result as generation_result,
    paths_of as paths_of,
    walked as walked,
)
from audience.lab.evaluation.generation_pieces import (
    steps_done as steps_done,
    walk_pieces as walk_pieces,
    walked_by as walked_by,
)
from audience.lab.evaluation.language import (
    CHOOSE as CHOOSE,
    RATINGS as RATINGS,
    STEP as STEP,
    TASTE as TASTE,
)
from audience.lab.evaluation.memory import (
    KINDS as KINDS,
    Evaluation as Evaluation,
    NoLog as NoLog,
    evaluate as evaluate,
    memory_values as memory_values,
    recall_by_age as recall_by_age,
)
from audience.lab.evaluation.planted_facts import OFTEN as OFTEN, OLD as OLD, RECENT as RECENT
from audience.lab.evaluation.ratings import (
    baseline_raters as baseline_raters,
    mind_raters as mind_raters,
    ratings_result as ratings_result,
    splits_of as splits_of,
)
from audience.lab.evaluation.recommenders import (
    MEASURES as MEASURES,
    InteractionColumns as InteractionColumns,
    OfflineSplit as OfflineSplit,
    RecommenderScore as RecommenderScore,
    check_offline as check_offline,
    leave_last as leave_last,
    measures as measures,
    plain_scores as plain_scores,
    read_source as read_source,
    read_split as read_split,
    score_offline as score_offline,
    slates_of as slates_of,
)
from audience.lab.evaluation.report import (
    contest_markdown as contest_markdown,
    footer as footer,
    group_tables as group_tables,
    write_activity as write_activity,
    write_evaluation as write_evaluation,
)
from audience.lab.evaluation.result import (
    ContestantRow as ContestantRow,
    Result as Result,
    asks_model as asks_model,
    result_values as result_values,
)
from audience.lab.evaluation.run_mind import RunMind as RunMind
from audience.lab.evaluation.source import (
    Real as Real,
    drawn_parts as drawn_parts,
    read_parts as read_parts,
    read_real as read_real,
    without_rare as without_rare,
)
from audience.lab.evaluation.taste import arena_of as arena_of, taste_result as taste_result
from audience.lab.evaluation.unseen import part_of_user as part_of_user
from audience.lab.evaluation.visit_times import (
    clock_foot as clock_foot,
    clock_table as clock_table,
)
