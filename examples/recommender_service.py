"""A recommender service: the other end of `audience run --recommender http://127.0.0.1:8090`.

    python examples/recommender_service.py --items items.csv --port 8090

`items.csv` names what can be recommended: a column `id`, and `title` if there is one (a RecBole
`.item` file is fine too). What people enjoyed together is recommended together; everybody else
gets what is popular. It learns from the feedback of each round, keeps every run apart, and takes
no piece of feedback twice. With `--key-env NAME` it wants `Authorization: Bearer KEY`, where the
key is in the variable NAME.

Standard library and numpy alone; the contract is audience/recommenders/service.openapi.json.
"""

import argparse
import csv
import json
import os
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock

import numpy as np


class Learner:
    """What was enjoyed in one run: how much of each item, by whom, and what goes with what."""

    def __init__(self, items):
        self.popular = np.zeros(items)
        self.together = np.zeros((items, items), np.float32)
        self.lived = {}
        self.known = set()

    def learn(self, event, item):
        """Take in a piece of feedback, once: resumed runs may send it again."""
        if event["id"] in self.known:
            return False
        self.known.add(event["id"])
        if event["kind"] == "watch":
            enjoyed, lived = event["fraction"], self.lived.setdefault(event["user"], [])
            self.popular[item] += enjoyed
            self.together[item, lived] += enjoyed
            self.together[lived, item] += enjoyed
            lived.append(item)
        return True

    def rank(self, user, exclude, k):
        """Return the best items, their scores, and for each the item it goes with, if any."""
        lived = self.lived.get(user, [])
        near = self.together[:, lived] / (1.0 + self.popular[:, None])
        scores = near.sum(axis=1) + self.popular / (1.0 + self.popular.max())
        scores[exclude] = -np.inf
        best = np.argsort(-np.round(scores, 6), kind="stable")[:k]
        best = best[np.isfinite(scores[best])]
        nearest = near[best].argmax(axis=1) if lived else np.zeros(len(best), int)
        goes_with = [
            lived[at] if lived and near[item, at] else None
            for item, at in zip(best, nearest, strict=True)
        ]
        return best, scores[best], goes_with


class Shop:
    """All that the service knows: its items, and a learner for each run."""

    def __init__(self, rows):
        self.ids = [row[0] for row in rows]
        self.titles = [row[1] or row[0] for row in rows]
        self.places = {name: place for place, name in enumerate(self.ids)}
        self.learners = {}
        self.lock = Lock()

    def learner(self, run):
        return self.learners.setdefault(run, Learner(len(self.ids)))

    def rank(self, asked):
        slates, scores, reasons = [], [], []
        for user in asked["users"]:
            exclude = [self.places[name] for name in user["exclude"] if name in self.places]
            learner = self.learner(asked["run"])
            best, numbers, goes_with = learner.rank(user["id"], exclude, asked["k"])
            slates.append([self.ids[item] for item in best])
            scores.append([round(float(number), 6) for number in numbers])
            reasons.append([self.reason(other) for other in goes_with])
        return {"slates": slates, "scores": scores, "reasons": reasons}

    def reason(self, other):
        return "popular now" if other is None else f"goes with {self.titles[other]}"

    def learn(self, told):
        learner = self.learner(told["run"])
        new = sum(learner.learn(one, self.places.get(one.get("item"))) for one in told["events"])
        return {"accepted": new}

    def health(self):
        return {"name": "example", "version": "1", "items": len(self.ids)}


def answering(shop, key):
    class Answers(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = 65536  # an answer in one piece; head and body apart would wait for each other

        def do_GET(self):
            self.answer({"/health": lambda _: shop.health()})

        def do_POST(self):
            self.answer({"/rank": shop.rank, "/feedback": shop.learn})

        def answer(self, ways):
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            if key and self.headers.get("Authorization") != f"Bearer {key}":
                return self.send(401, {"error": "the key is missing or wrong"})
            if self.path not in ways:
                return self.send(404, {"error": f"there is no {self.path}"})
            try:
                with shop.lock:
                    found = ways[self.path](json.loads(body or b"{}"))
            except (KeyError, TypeError, ValueError) as error:
                return self.send(400, {"error": f"the request cannot be read: {error!r}"})
            return self.send(200, found)

        def send(self, status, found):
            body = json.dumps(found).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *words):
            pass

    return Answers


def read_items(path):
    """Return (id, title) of each row of a CSV or a RecBole file."""
    with open(path, encoding="utf-8", newline="") as file:
        tabs = path.endswith((".item", ".tsv"))
        rows = csv.DictReader(file, delimiter="\t" if tabs else ",")
        plain = [{name.partition(":")[0]: text for name, text in row.items()} for row in rows]
    return [(row.get("id") or row["item_id"], row.get("title")) for row in plain]


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--items", required=True, help="a CSV with a column id")
    options.add_argument("--port", type=int, default=8090, help="0 takes any free one")
    options.add_argument("--key-env", default="", help="the variable that holds the key to ask for")
    given = options.parse_args()
    key = os.environ[given.key_env] if given.key_env else ""
    answers = answering(Shop(read_items(given.items)), key)
    with ThreadingHTTPServer(("127.0.0.1", given.port), answers) as server:
        print(f"http://127.0.0.1:{server.server_address[1]}", flush=True)
        with suppress(KeyboardInterrupt):
            server.serve_forever()


if __name__ == "__main__":
    main()
