"""The life of a run: start, resume, branch, compare, inspect, play, estimate."""

from audience.runs.asked_again import ask_again as ask_again, stored_call as stored_call
from audience.runs.band import (
    band_of as band_of,
    obstacle_to_band as obstacle_to_band,
    with_sensitivity as with_sensitivity,
)
from audience.runs.compare import (
    compared as compared,
    first_difference as first_difference,
    plain_comparison as plain_comparison,
)
from audience.runs.cost import (
    GROWING as GROWING,
    WAYS as WAYS,
    CostEstimate as CostEstimate,
    estimate as estimate,
    seconds_of as seconds_of,
    way_of as way_of,
    with_way as with_way,
)
from audience.runs.experiment import (
    EXPERIMENT as EXPERIMENT,
    SUMMARY as SUMMARY,
    Outcome as Outcome,
    conduct as conduct,
    findings as findings,
    gathered as gathered,
    is_experiment as is_experiment,
    scenario_of as scenario_of,
    summary_of as summary_of,
    verify as verify,
)
from audience.runs.exports import export as export
from audience.runs.gate import (
    Condition as Condition,
    Ruling as Ruling,
    condition as condition,
    failed_in as failed_in,
    plain_rulings as plain_rulings,
    ruled as ruled,
)
from audience.runs.handle import (
    Run as Run,
    embedded_scenario as embedded_scenario,
    load_any as load_any,
    load_interventions as load_interventions,
    make_room as make_room,
    run as run,
)
from audience.runs.inspect_memory import (
    NONE as NONE,
    Course as Course,
    MemoryReport as MemoryReport,
    Remembrance as Remembrance,
    counts as counts,
    memory_report as memory_report,
    remembrance as remembrance,
)
from audience.runs.interview_records import (
    MOST_LINES as MOST_LINES,
    ChatHead as ChatHead,
    ChatRecord as ChatRecord,
    Closed as Closed,
    InterviewRecord as InterviewRecord,
    begin_chat as begin_chat,
    chats_in as chats_in,
    close_interview as close_interview,
    interviews_in as interviews_in,
    keep_line as keep_line,
    read_chat as read_chat,
    read_interview as read_interview,
)
from audience.runs.interviews import (
    ask as ask,
    hold_interview as hold_interview,
    open_interview as open_interview,
    options_of as options_of,
    remember_answers as remember_answers,
    reminders as reminders,
    reply_to as reply_to,
)
from audience.runs.jobs import (
    SeededArm as SeededArm,
    finished_of as finished_of,
    jobs_of as jobs_of,
    kept_run as kept_run,
    obstacle_to_processes as obstacle_to_processes,
    pool_for as pool_for,
    processes_for as processes_for,
    run_task as run_task,
    variants as variants,
)
from audience.runs.judges import (
    Audience as Audience,
    Judges as Judges,
    audience_of as audience_of,
    names_mind as names_mind,
    tells_mind as tells_mind,
    with_judges as with_judges,
)
from audience.runs.kept_measures import (
    Kept as Kept,
    Numbers as Numbers,
    kept_of as kept_of,
    packed as packed,
    unpacked as unpacked,
)
from audience.runs.launch import (
    branch as branch,
    prolong as prolong,
    resume as resume,
    start as start,
)
from audience.runs.lifecycle import (
    Finished as Finished,
    Progress as Progress,
    Quiet as Quiet,
    Stopping as Stopping,
)
from audience.runs.marks import (
    can_be_apart as can_be_apart,
    is_collaborative_mind as is_collaborative_mind,
    mark as mark,
    marks_of as marks_of,
    sentences as sentences,
)
from audience.runs.measures import (
    measured as measured,
    measured_upto as measured_upto,
    measurement as measurement,
)
from audience.runs.model_choice import (
    how_to_choose as how_to_choose,
    lacks_model as lacks_model,
    warning_of as warning_of,
)
from audience.runs.narrative import (
    WORDS as WORDS,
    Teller as Teller,
    person_at as person_at,
    story as story,
)
from audience.runs.notes import (
    LONGEST_NOTE as LONGEST_NOTE,
    RunNote as RunNote,
    Subject as Subject,
    keep_note as keep_note,
    notes_in as notes_in,
)
from audience.runs.parameter_sweep import (
    SWEEP as SWEEP,
    Sweep as Sweep,
    SweepOutcome as SweepOutcome,
    Varied as Varied,
    conduct_sweep as conduct_sweep,
    sweep as sweep,
    sweep_of as sweep_of,
    varied as varied,
    write_sweep as write_sweep,
)
from audience.runs.people import (
    PeopleTable as PeopleTable,
    drawn_instead as drawn_instead,
    settle_people as settle_people,
    write_people as write_people,
)
from audience.runs.pool import (
    Here as Here,
    Pool as Pool,
    pool_for_pieces as pool_for_pieces,
    pool_of as pool_of,
)
from audience.runs.power import PowerEstimate as PowerEstimate, power_estimates as power_estimates
from audience.runs.progress import LivePanel as LivePanel, Panel as Panel, Watch as Watch
from audience.runs.recommender_check import (
    try_recommender as try_recommender,
    try_swap as try_swap,
)
from audience.runs.respondents import (
    ABSENT as ABSENT,
    FEWEST as FEWEST,
    Respondents as Respondents,
    members_by_segment as members_by_segment,
    respondents_in as respondents_in,
    segments_of as segments_of,
)
from audience.runs.tabulation import (
    LONGEST_OPTION as LONGEST_OPTION,
    MOST_OPTIONS as MOST_OPTIONS,
    AnswerCounts as AnswerCounts,
    Tabulation as Tabulation,
    tabulated as tabulated,
)
from audience.runs.takeover import play_person as play_person
from audience.runs.task import (
    Attendant as Attendant,
    Counted as Counted,
    PoolTask as PoolTask,
    RoundReporter as RoundReporter,
    TaskFault as TaskFault,
    line_of as line_of,
)
from audience.runs.verdict import with_band as with_band
