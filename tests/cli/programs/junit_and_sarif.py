"""Compares JUnit XML and SARIF with the tables of the results that they were made from.

junit_and_sarif.py RESULTS JUNIT SARIF EXPECTED DIRECTORY
"""

import csv
import json
import os
import sys
import urllib.parse
import xml.etree.ElementTree

results, junit, sarif, expected, directory = sys.argv[1:]


def table(name):
    with open(os.path.join(results, name), newline="") as file:
        return list(csv.DictReader(file))


cluster = {(row["test"], row["revision"]): row["cluster"] for row in table("clusters.csv")}
tests = {test for test, _ in cluster}
findings = {(row["test"], row["revision"]): row["finding"] for row in table("outcomes.csv")}
revisions = table("revisions.csv")

# JUnit: the elements and attributes that the schema of Jenkins knows.
allowed = {
    "testsuites": {"name"},
    "testsuite": {"name", "tests", "failures", "errors", "skipped"},
    "testcase": {"classname", "name"},
    "failure": {"message", "type"},
    "error": {"message", "type"},
    "skipped": {"message"},
}
inside = {
    "testsuites": {"testsuite"},
    "testsuite": {"testcase"},
    "testcase": {"failure", "error", "skipped"},
}
root = xml.etree.ElementTree.parse(junit).getroot()
assert root.tag == "testsuites"
for element in root.iter():
    assert set(element.attrib) == allowed[element.tag], element.attrib
    assert {child.tag for child in element} <= inside.get(element.tag, set()), element.tag
assert len(root) == len(revisions)
for suite, row in zip(root, revisions):
    revision, cases = row["revision"], list(suite)
    assert suite.get("name").startswith(revision + " "), suite.get("name")
    count = {name: len(suite.findall(f"testcase/{name}")) for name in ["failure", "error", "skipped"]}
    assert int(suite.get("tests")) == len(cases)
    assert int(suite.get("failures")) == count["failure"]
    assert int(suite.get("errors")) == count["error"]
    assert int(suite.get("skipped")) == count["skipped"]
    if row["status"] == "rejected":
        assert count == {"failure": 0, "error": 1, "skipped": 0}
        assert cases[0][0].text.strip() == row["reason"].strip()
        continue
    assert len(cases) == len(tests)
    for case in cases:
        test = case.get("name").split(":")[0].removeprefix("test ")
        known = [cluster.get((test, other)) for other in [revision, expected]]
        if None in known:
            assert case[0].tag == "skipped"
        elif known[0] != known[1]:
            assert case[0].tag == "failure" and "expected: " in case[0].text
        else:
            assert len(case) == 0
assert any("<worse>" in suite.get("name") for suite in root)

# SARIF: what code scanning wants.
with open(sarif) as file:
    log = json.load(file)
assert log["version"] == "2.1.0" and len(log["runs"]) == 1
run = log["runs"][0]
rules = run["tool"]["driver"]["rules"]
assert len({rule["id"] for rule in rules}) == len(rules)
assert all(rule["shortDescription"]["text"] for rule in rules)
found = {}
for result in run["results"]:
    assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    assert result["message"]["text"] and result["level"] in ["error", "warning"]
    (location,) = result["locations"]
    place = location["physicalLocation"]
    assert place["region"]["startLine"] >= 1
    uri = urllib.parse.unquote(place["artifactLocation"]["uri"])
    assert not uri.startswith(("/", "./", "file:")), uri
    revision = str(result["properties"]["revision"])
    (row,) = [row for row in revisions if row["revision"] == revision]
    if row["patch"]:
        assert uri == row["patch"], uri
    assert os.path.isfile(os.path.join(directory, uri)), uri
    for related in result.get("relatedLocations", []):
        related = related["physicalLocation"]
        path = os.path.join(directory, urllib.parse.unquote(related["artifactLocation"]["uri"]))
        with open(path) as file:
            line = file.read().splitlines()[related["region"]["startLine"] - 1]
        assert "table[" in line, line
    if result["ruleId"] == "out-of-bounds":
        assert result["relatedLocations"]
    found[revision, result["ruleId"]] = {str(test) for test in result["properties"]["tests"]}
wanted = {}
for (test, revision), its in cluster.items():
    if its != cluster[test, expected]:
        wanted.setdefault((revision, "unexpected-outcome"), set()).add(test)
    if findings[test, revision]:
        wanted.setdefault((revision, findings[test, revision]), set()).add(test)
assert found == wanted, (found, wanted)
assert any(rule == "out-of-bounds" for _, rule in found)
aside = run["invocations"][0]["toolExecutionNotifications"]
assert len(aside) == sum(row["status"] == "rejected" for row in revisions) == 1
print("checked")
