"""People and models as judges of what minds and memories produce."""

from audience.lab.judging.answers import (
    MODEL as MODEL,
    PEOPLE as PEOPLE,
    Answered as Answered,
    Problem as Problem,
    answer_problem as answer_problem,
    read_answers as read_answers,
    read_key as read_key,
)
from audience.lab.judging.cases import FILE as FILE, exported as exported
from audience.lab.judging.labels import (
    LabelTables as LabelTables,
    labels_csv as labels_csv,
    labels_of as labels_of,
)
from audience.lab.judging.model_judge import (
    Turned as Turned,
    answers_file as answers_file,
    judge as judge,
    turned as turned,
)
from audience.lab.judging.page import (
    JUDGE as JUDGE,
    TASKS as TASKS,
    WRITE as WRITE,
    Sources as Sources,
    make as make,
    notes as notes,
    page_of as page_of,
    sheet_in as sheet_in,
)
from audience.lab.judging.references import files_of as files_of, plain_result as plain_result
from audience.lab.judging.tables import (
    ChoiceTable as ChoiceTable,
    JudgementTables as JudgementTables,
    PairVerdicts as PairVerdicts,
    Scores as Scores,
    tables_of as tables_of,
)
from audience.lab.judging.tasks import Key as Key, Task as Task
