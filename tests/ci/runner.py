"""Does locally what GitHub's runner does with a composite action, and GitLab's runner with a job."""

import json
import os
import re
import shutil
import subprocess
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import yaml


def stand_in_wheel(folder, tool):
    """A wheel like the one that pip installs, with the launchbox that was built here."""
    os.makedirs(folder, exist_ok=True)
    info = "cuda_launchbox-0.1.0.dist-info/"
    files = {
        "cuda_launchbox-0.1.0.data/scripts/launchbox": f'#!/bin/sh\nexec "{tool}" "$@"\n',
        info + "METADATA": "Metadata-Version: 2.1\nName: cuda-launchbox\nVersion: 0.1.0\n",
        info + "WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    files[info + "RECORD"] = "".join(f"{name},,\n" for name in files)
    with zipfile.ZipFile(os.path.join(folder, "cuda_launchbox-0.1.0-py3-none-any.whl"), "w") as wheel:
        for name, text in files.items():
            made = zipfile.ZipInfo(name)
            made.external_attr = 0o100755 << 16
            wheel.writestr(made, text)
    return folder


def content(file, how="r"):
    with open(file, how, encoding=None if "b" in how else "utf-8") as opened:
        return opened.read()


class Service:
    """GitHub's and GitLab's API for comments, as their documentation describes it, on the loopback interface.

    GitHub: "List issue comments" is in pages of at most 100, the next one in the header Link; "Create" answers 201,
    "Update" 200; a body of more than 65,536 characters is 422; a read-only token gets 403 "Resource not
    accessible by integration", and so does a job's token for "Get the authenticated user". GitLab: the next page is in
    X-Next-Page, and Notes are listed, created (201) and changed (PUT).
    """

    def __init__(self):
        self.comments, self.requests = [], []
        self.may_write, self.fails_with, self.is_project_token = True, 0, False
        service = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do(self):
                length = int(self.headers.get("Content-Length") or 0)
                sent = json.loads(self.rfile.read(length)) if length else None
                service.requests.append((self.command, self.path))
                status, answer, headers = service.answer(self.command, self.path, sent, self.headers)
                body = json.dumps(answer).encode()
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = do_PATCH = do_PUT = do

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def add(self, body, login="github-actions[bot]"):
        number = 1000 + len(self.comments)
        self.comments.append({"id": number, "body": body, "user": {"login": login}, "author": {"id": login}})
        return number

    def own(self):
        return [each["body"] for each in self.comments if each["body"].startswith("<!-- launchbox check: ")]

    def answer(self, method, path, sent, headers):
        if self.fails_with:
            return self.fails_with, {"message": "no"}, {}
        if headers.get("Authorization") != "Bearer secret" and headers.get("PRIVATE-TOKEN") != "secret":
            return 401, {"message": "Bad credentials"}, {}
        path, _, query = path.partition("?")
        if path == "/user":
            if self.is_project_token:
                return 200, {"id": "github-actions[bot]", "login": "github-actions[bot]"}, {}
            return 403, {"message": "Resource not accessible by integration"}, {}
        lists = ("/repos/me/app/issues/7/comments", "/projects/3/merge_requests/7/notes")
        if method == "GET" and path in lists:
            asked = dict(pair.split("=") for pair in query.split("&"))
            size, page = min(int(asked.get("per_page", 30)), 100), int(asked.get("page", 1))
            rest = self.comments[page * size:]
            following = f"{self.url}{path}?per_page={size}&page={page + 1}"
            return 200, self.comments[(page - 1) * size:page * size], {
                "Link": f'<{following}>; rel="next", <{following}>; rel="last"' if rest else "",
                "X-Next-Page": str(page + 1) if rest else ""}
        if not self.may_write:
            return 403, {"message": "Resource not accessible by integration"}, {}
        if method in ("POST", "PATCH", "PUT") and len(sent["body"]) > 65536:
            return 422, {"message": "body is too long (maximum is 65536 characters)"}, {}
        if method == "POST" and path in lists:
            self.add(sent["body"])
            return 201, self.comments[-1], {}
        changed = re.fullmatch(r"/repos/me/app/issues/comments/(\d+)|/projects/3/merge_requests/7/notes/(\d+)", path)
        if changed and method in ("PATCH", "PUT"):
            for comment in self.comments:
                if comment["id"] == int(changed[1] or changed[2]):
                    comment["body"] = sent["body"]
                    return 200, comment, {}
        return 404, {"message": "Not Found"}, {}


class Runner:
    """One repository with its caches; `action` runs the steps of check/action.yml as GitHub's runner does."""

    def __init__(self, repository, folder, wheel):
        self.repository, self.folder, self.wheel = repository, folder, wheel
        self.work, self.caches = os.path.join(folder, "work"), {}
        os.makedirs(os.path.join(self.work, "build"))
        os.makedirs(os.path.join(folder, "bin"))
        # pip takes most of the time: each repository installs once, and later jobs use that installation.
        shim = os.path.join(folder, "bin", "python3")
        with open(shim, "w", encoding="utf-8") as file:
            file.write('#!/bin/sh\n'
                       'if [ "$2 $3" = "pip install" ] && [ -e "$RUNNER_TEMP/launchbox/bin/launchbox" ]; then exit 0; fi\n'
                       'exec /usr/bin/python3 "$@"\n')
        os.chmod(shim, 0o755)
        self.service = Service()
        with open(os.path.join(repository, "check", "action.yml"), encoding="utf-8") as file:
            self.definition = yaml.safe_load(file)
        self.log = self.summary = ""

    def environment(self, **more):
        path = [each for each in os.environ["PATH"].split(os.pathsep) if "launchbox" not in each]
        # Without variables of this session's own CI, and without a proxy between tests and the loopback interface.
        kept = {name: value for name, value in os.environ.items()
                if not re.match(r"(GITHUB|RUNNER|CI|LAUNCHBOX|PIP)_|.*_proxy$", name, re.IGNORECASE)}
        return {**kept, "PATH": os.pathsep.join([os.path.join(self.folder, "bin"), *path]), "LC_ALL": "C.UTF-8",
                "no_proxy": "*", **more}

    def value(self, text, known):
        """Evaluates an expression; the action only uses names, ==, !=, && and strings."""
        def name(found):
            value = known
            for part in found[0].split("."):
                value = value.get(part, "") if isinstance(value, dict) else ""
            return repr(str(value))
        parts = re.split(r"('[^']*')", text)
        for i in range(0, len(parts), 2):
            parts[i] = re.sub(r"[a-z_]\w*(\.[\w-]+)+", name, parts[i]).replace("&&", " and ").replace("||", " or ")
        return eval("".join(parts), {"__builtins__": {}})  # pylint: disable=eval-used

    def filled(self, text, known):
        return re.sub(r"\$\{\{(.*?)\}\}", lambda found: str(self.value(found[1].strip(), known)), str(text))

    def action(self, inputs, github):
        """The exit status of the job: that of the first failing step, after which none runs."""
        temporary = os.path.join(self.folder, "temp")
        os.makedirs(temporary, exist_ok=True)
        github = {"base_ref": "", "ref_name": "", "token": "secret", "action_path": os.path.join(self.repository, "check"),
                  "workspace": self.work, **github}
        known = {"github": github, "inputs": {}, "steps": {}}
        for name, described in self.definition["inputs"].items():
            assert name in inputs or not described.get("required"), name
            known["inputs"][name] = self.filled(inputs.get(name, described.get("default", "")), known)
        assert set(inputs) <= set(self.definition["inputs"]), inputs
        self.log = self.summary = ""
        path = []
        for step in self.definition["runs"]["steps"]:
            if "if" in step and not self.value(step["if"], known):
                continue
            outputs = {}
            if "uses" in step:
                outputs = self.cache(step["uses"], {k: self.filled(v, known) for k, v in step["with"].items()})
                status = 0
            else:
                assert step["shell"] == "bash"
                files = {name: os.path.join(temporary, name.lower())
                         for name in ("GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_STEP_SUMMARY", "GITHUB_ENV")}
                for file in files.values():
                    with open(file, "w", encoding="utf-8"):
                        pass
                environment = self.environment(
                    GITHUB_ACTIONS="true", CI="true", RUNNER_TEMP=temporary, GITHUB_WORKSPACE=self.work,
                    GITHUB_API_URL=self.service.url, GITHUB_REPOSITORY="me/app", **files,
                    **{k: self.filled(v, known) for k, v in step.get("env", {}).items()})
                environment["PATH"] = os.pathsep.join([*path, environment["PATH"]])
                script = os.path.join(temporary, "step.sh")
                with open(script, "w", encoding="utf-8") as file:
                    file.write(step["run"])
                ran = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", script], cwd=self.work,
                                     env=environment, capture_output=True, check=False, timeout=300)
                self.log += (ran.stdout + ran.stderr).decode(errors="replace")
                status = ran.returncode
                self.summary += content(files["GITHUB_STEP_SUMMARY"])
                path = content(files["GITHUB_PATH"]).split("\n")[:-1] + path
                for line in content(files["GITHUB_OUTPUT"]).splitlines():
                    name, _, value = line.partition("=")
                    outputs[name] = value
            if "id" in step:
                known["steps"][step["id"]] = {"outputs": outputs}
            if status:
                return status
        self.outputs = {name: self.filled(output["value"], known) for name, output in self.definition["outputs"].items()}
        return 0

    def cache(self, action, given):
        """actions/cache: the entry with the key, else the newest whose key starts with a restore-key; never changed."""
        assert action in ("actions/cache/restore@v4", "actions/cache/save@v4"), action
        assert "," not in given["key"] and len(given["key"]) <= 512, given["key"]
        file = os.path.join(self.work, given["path"])
        if action.startswith("actions/cache/save"):
            if os.path.exists(file) and given["key"] not in self.caches:
                self.caches[given["key"]] = (given["path"], content(file, "rb"))
            return {}
        for wanted in [given["key"], *given.get("restore-keys", "").split()]:
            for key, (path, kept) in reversed(self.caches.items()):
                if (key == given["key"] or key.startswith(wanted)) and path == given["path"]:
                    os.makedirs(os.path.dirname(file), exist_ok=True)
                    with open(file, "wb") as written:
                        written.write(kept)
                    return {"cache-hit": str(key == given["key"]).lower(), "cache-matched-key": key}
        return {"cache-hit": "", "cache-matched-key": ""}

    def gitlab_job(self, template, variables, predefined):
        """Its script in one shell, with the variables of the first rule that holds; and the cache around it."""
        job = yaml.safe_load(template)[".launchbox-check"]
        known = {**job["variables"], **variables, **predefined}
        for rule in job["rules"]:
            condition = re.fullmatch(r'\$(\w+)(?: == "(.*)")?', rule["if"])
            value = known.get(condition[1], "")
            if value == condition[2] if condition[2] is not None else value:
                known.update(rule["variables"])
                break
        for _ in range(2):
            known = {name: re.sub(r"\$(\w+)", lambda found: known.get(found[1], ""), value)
                     for name, value in known.items()}
        key = re.sub(r"\$(\w+)", lambda found: known.get(found[1], ""), job["cache"]["key"])
        policy = re.sub(r"\$(\w+)", lambda found: known.get(found[1], ""), job["cache"]["policy"])
        shutil.rmtree(os.path.join(self.work, ".launchbox"), ignore_errors=True)
        kept = os.path.join(self.work, *job["cache"]["paths"])
        if "pull" in policy and key in self.caches:
            os.makedirs(os.path.dirname(kept), exist_ok=True)
            with open(kept, "wb") as file:
                file.write(self.caches[key])
        script = "set -eo pipefail\n" + "\n".join(job["script"])
        ran = subprocess.run(["bash", "-c", script], cwd=self.work,
                             env=self.environment(**known), capture_output=True, check=False, timeout=300)
        self.log = (ran.stdout + ran.stderr).decode(errors="replace")
        if "push" in policy and os.path.exists(kept):
            self.caches[key] = content(kept, "rb")
        return ran.returncode
