"""Small datasets in their published layouts, written by hand."""

from __future__ import annotations

import gzip
import json
import zipfile
from pathlib import Path

SHARED = Path(__file__).parents[3] / "shared" / "data"
ABSENT = f"{SHARED} is not there: real data is not part of the repository"
_FLAGS = "|".join("1" if n in (5, 8) else "0" for n in range(19))

ML_100K = {
    "u.data": "1\t10\t5\t300\n2\t10\t3\t100\n1\t20\t4\t200\n",
    "u.item": (
        f"10|Caf\xe9, The (1995)|01-Jan-1995||http://x|{_FLAGS}\n"
        f"20|Am\xe9lie|||{''}|{_FLAGS}\n"
        f"30|Never Seen (1990)|||{''}|{_FLAGS}\n"
    ),
    "u.user": "1|24|M|technician|85711\n2|53|F|other|94043\n3|33|F|writer|1\n",
}
ML_1M = {
    "ratings.dat": "1::10::5::300\n2::10::3::100\n1::20::4::200\n",
    "movies.dat": "10::Caf\xe9, The (1995)::Comedy|Drama\n20::Am\xe9lie (2001)::Comedy\n",
    "users.dat": "1::F::1::10::48067\n2::M::56::16::70072\n",
}
ML_CSV = {
    "ratings.csv": "userId,movieId,rating,timestamp\n1,10,0.5,300\n2,10,3.0,100\n1,20,4.5,200\n",
    "movies.csv": (
        'movieId,title,genres\n10,"Café, The (1995)",Comedy|Drama\n'
        "20,Amélie (2001),(no genres listed)\n"
    ),
    "tags.csv": "userId,movieId,tag,timestamp\n",
}
POSITIONS = {
    "interactions.csv": "user_id,movie_id,position\n1,10,1\n1,20,0\n2,10,0\n",
    "movies.dat": ML_1M["movies.dat"],
    "users.dat": ML_1M["users.dat"],
}
ATOMIC = {
    "tiny.inter": (
        "user_id:token\titem_id:token\trating:float\ttimestamp:float\n"
        "a\tx\t4\t30\nb\tx\t2\t10\na\ty\t5\t20\n"
    ),
    "tiny.item": (
        "item_id:token\tmovie_title:token_seq\trelease_year:token\tclass:token_seq\n"
        "x\tFirst, The\t1990\tDrama War\ny\t\t\t\n"
    ),
    "tiny.user": "user_id:token\tage:token\tgender:token\toccupation:token\na\t30\tF\tnurse\n",
    "tiny.net": "source_id:token\ttarget_id:token\na\tb\nb\tz\n",
}
LASTFM = {
    "user_artists.dat": "userID\tartistID\tweight\n2\t51\t260\n2\t52\t2600\n4\t51\t26\n",
    "user_friends.dat": "userID\tfriendID\n2\t4\n4\t2\n4\t9\n",
    "artists.dat": "id\tname\turl\tpictureURL\n51\tDuran\thttp://x\thttp://y\n52\tMorcheeba\th\tp\n",
}
RECAGENT = {
    "item.csv": (
        'id,title,genre,description\n0,First,Sci-Fi|War,"One, <First>, is\nlong."\n'
        "1,Second,Comedy,\n"
    ),
    "user_1000.csv": (
        "id,name,gender,age,traits,status,interest,feature\n"
        '0,Ann,female,25,"caring, calm",nurse," sci-fi movies,  knitting",Watcher;Critic;\n'
        "1,Bob,male,,,, comedy movies,\n"
    ),
    "relationship_1000.csv": "user_1,user_2,relationship,closeness\n0,1,friend,0.9\n1,0,boss,0.2\n",
    "interaction.csv": "user_id,item_id,rating\n0,1,1\n0,0,0\n1,0,1\n",
}
AMAZON_2018: list[dict[str, object]] = [
    {"reviewerID": "A", "asin": "P1", "overall": 5.0, "unixReviewTime": 300, "reviewText": "x"},
    {"reviewerID": "B", "asin": "P1", "overall": 3.0, "unixReviewTime": 100},
    {"asin": "P2", "overall": 3.0, "unixReviewTime": 100},
]
AMAZON_2023: list[dict[str, object]] = [
    {"user_id": "A", "asin": "V", "parent_asin": "P1", "rating": 5.0, "timestamp": 300_000_000_000},
    {"user_id": "B", "asin": "V", "parent_asin": "P1", "rating": 1.0, "timestamp": 200_000_000_000},
]
AMAZON_META: list[dict[str, object]] = [
    {
        "parent_asin": "P1",
        "title": "A Lamp",
        "categories": ["Home", "Lamps"],
        "description": ["Bright.", "Warm."],
    }
]
STEAM = (
    "{u'username': u'Zo\\xe9', u'hours': 2.0, u'product_id': u'7', u'date': u'2017-12-17'}\n"
    "{'username': 'Max', 'product_id': '7', 'date': '2016-01-02', 'text': 'it''s'}\n"
    "{'username': 'Max', 'product_id': '8', 'text': 'no day'}\n"
)
STEAM_GAMES = (
    "{u'app_name': u'Portal', u'genres': [u'Action', u'Puzzle'], u'id': u'7', "
    "u'release_date': u'2007-10-10'}\n"
    "{u'app_name': u'Nameless'}\n"
)


def write(folder: Path, files: dict[str, str], encoding: str = "utf-8") -> Path:
    """Write files into a folder and return it."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_bytes(text.encode(encoding))
    return folder


def packed(path: Path, files: dict[str, str], encoding: str = "utf-8", inside: str = "") -> Path:
    """Write files into a zip archive, in a folder of it if named, and return it."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(f"{inside}{name}", text.encode(encoding))
    return path


def gzipped(path: Path, text: str) -> Path:
    path.write_bytes(gzip.compress(text.encode()))
    return path


def lines(trees: list[dict[str, object]]) -> str:
    return "".join(f"{json.dumps(tree)}\n" for tree in trees)
