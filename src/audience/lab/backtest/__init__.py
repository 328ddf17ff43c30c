"""Backtests: does an audience order policies as real, randomised people did?"""

from audience.lab.backtest.coat import backtest_coat as backtest_coat
from audience.lab.backtest.estimators import (
    PolicyEstimate as PolicyEstimate,
    estimate_table as estimate_table,
    estimated as estimated,
    estimates_of as estimates_of,
    item_rewards as item_rewards,
)
from audience.lab.backtest.logs import (
    BanditLog as BanditLog,
    ObservedMatrix as ObservedMatrix,
    read_log as read_log,
    read_matrix as read_matrix,
)
from audience.lab.backtest.result import (
    Backtest as Backtest,
    foot as foot,
    plain_backtest as plain_backtest,
    tables as tables,
    write_backtest as write_backtest,
)
from audience.lab.backtest.upworthy import backtest_upworthy as backtest_upworthy
