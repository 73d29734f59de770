#!/usr/bin/env python3
"""Shows what `launchbox check` found in one comment of a pull request, which later runs update.

    comment.py FOLDER NAME NUMBER

FOLDER has kernels.json and summary.md; NAME distinguishes several checks; NUMBER is that of the pull request. The
environment has TOKEN, GITHUB_API_URL and GITHUB_REPOSITORY. If nothing differs, no comment is written, but an earlier
one is updated. If a comment cannot be written, that is a notice and not a failure: the job summary has the table.
"""

import json
import os
import sys
import urllib.error
import urllib.request

LONGEST = 65536  # characters that GitHub accepts
BOT = "github-actions[bot]"  # the author of comments written with a job's own token


def request(method, path, content=None):
    """The API's answer, and the URL of the next page."""
    url = path if path.startswith("http") else os.environ["GITHUB_API_URL"] + path
    asked = urllib.request.Request(url, method=method, headers={
        "Accept": "application/vnd.github+json",
        "Authorization": "Bearer " + os.environ["TOKEN"],
        "Content-Type": "application/json",
        "User-Agent": "launchbox",
        "X-GitHub-Api-Version": "2022-11-28",
    }, data=None if content is None else json.dumps(content).encode())
    with urllib.request.urlopen(asked, timeout=30) as answer:
        links = [link.split(";") for link in answer.headers.get("Link", "").split(",") if 'rel="next"' in link]
        return json.load(answer), links[0][0].strip(" <>") if links else ""


def author():
    """The author of our comments. A job's token may not ask for it."""
    try:
        return request("GET", "/user")[0]["login"]
    except urllib.error.HTTPError as failure:
        if failure.code in (401, 403, 404):
            return BOT
        raise


def own_comment(issue, marker):
    """The number of the comment that an earlier run wrote. Anyone can write the marker: the author counts too."""
    login = author()
    page = issue + "/comments?per_page=100"
    while page:
        comments, page = request("GET", page)
        for comment in comments:
            if (comment.get("user") or {}).get("login") == login and (comment.get("body") or "").startswith(marker):
                return comment["id"]
    return None


def read(file):
    with open(file, encoding="utf-8", errors="replace") as opened:
        return opened.read()


def body_of(folder, name, marker):
    """The comment, and whether there is anything to say."""
    text = f"{marker}\n### launchbox check: {name}\n\n" + read(os.path.join(folder, "summary.md"))
    if len(text) > LONGEST:
        cut = "\n\nThe rest is in the summary of the job.\n"
        text = text[:text.rindex("\n", 0, LONGEST - len(cut))] + cut
    try:
        found = json.loads(read(os.path.join(folder, "kernels.json")))
    except (OSError, ValueError):
        return text, True  # the check failed before it compared anything
    return text, bool(found["changes"]) or not found["passed"]


def main():
    folder, name, number = sys.argv[1:4]
    marker = f"<!-- launchbox check: {name} -->"
    repository = "/repos/" + os.environ["GITHUB_REPOSITORY"]
    try:
        text, differs = body_of(folder, name, marker)
        issue = f"{repository}/issues/{int(number)}"
        comment = own_comment(issue, marker)
        if comment is not None:
            request("PATCH", f"{repository}/issues/comments/{comment}", {"body": text})
        elif differs:
            request("POST", issue + "/comments", {"body": text})
    except urllib.error.HTTPError as failure:
        why = "the token may not write" if failure.code in (401, 403, 404) else "the API refused it"
        print(f"::notice::No comment, since {why} ({failure.code}); the table is in the summary of the job. Pull requests "
              "of forks have a token that only reads; others need permissions: pull-requests: write")
    except (OSError, ValueError, KeyError, TypeError) as failure:
        words = str(failure).replace("%", "%25").replace("\r", " ").replace("\n", " ")
        print(f"::warning::No comment ({type(failure).__name__}: {words}); the table is in the summary of the job")
    return 0


if __name__ == "__main__":
    sys.exit(main())
