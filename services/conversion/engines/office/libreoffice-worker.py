"""Drives one LibreOffice inside the sandbox: a line of JSON in, a line of JSON out, one document at a time.

Answers {"ok": true, ...} or {"ok": false, "reason": "password" | "load" | "broken" | "sheet" | "large" | "store",
...}. "load" means that the office rejected the document: it returns none and gives no reason. An exception
while loading is "broken". When the office itself dies, the worker exits too: its owner starts a new pair.
"""
import json
import os
import shutil
import sys

import books
import fields
import links
import results
import targets
import unshown
import volatile
from com.sun.star.lang import DisposedException
from installed_fonts import families_here
from process import PROFILE, TEMPORARY, connect, seed_profile
from sources import Source


def convert(context, desktop, job, here):
    """In a folder of its own so deep that links to folders above stay different, and relative."""
    top, result = job["output"] + ".folder", job["output"]
    folder = top + "/d" * 8
    os.makedirs(folder)
    # The driver of dBase asks for an extension.
    os.symlink(job["input"], folder + "/in.in")
    job |= {"input": folder + "/in.in", "output": folder + "/out.out", "folder": folder}
    try:
        return converted(context, desktop, job, here)
    finally:
        if os.path.isfile(job["output"]):
            links.make_relative(job["output"], top, folder)
            os.replace(job["output"], result)
        shutil.rmtree(top, ignore_errors=True)


def converted(context, desktop, job, here):
    source = Source(job)
    document, reason = source.load(desktop, job)
    if document is None:
        return {"ok": False, "reason": reason}
    answer = {"ok": True, "sheets": books.sheet_names(document), "encodingGuessed": source.is_guessed}
    try:
        if job.get("parts"):
            return answer
        held = volatile.Held(document, job["input"], job["hasResults"] == "kept", source.was_automatic) if "hasResults" in job else None
        answer |= corrected(document, job, held)
        # Of newer documents of Numbers, the office reads the tables but not their cells.
        if job.get("wholeDays") and not any(True for _ in books.areas(books.converted(document, 0), books.CONTENT)):
            return {"ok": False, "reason": "load"}
        place = targets.arrange(document, job)
        sheets = books.converted(document, place)
        if "most" in job and books.exceeds(sheets, *job["most"]) or job["exportFilter"] == "dBase" and books.longest(sheets) > 254:
            return {"ok": False, "reason": "large"}
        chosen = sheets[0] if place > 0 else books.first(document) if sheets else None
        # Its writer leaves out links and their text.
        if job["exportFilter"] == "MS Word 2003 XML" and links.addresses(document):
            source.left.add("links")
        answer |= targets.write(context, desktop, document, job, chosen)
        if held:
            held.release(job["output"])
            answer["changed"] = held.changed()
        answer |= targets.lacks(document, job, place, here)
        source.left |= unshown.kinds_left_out(document, job)
        if "fields" in job and fields.tells_time(document):
            source.left.add("times")
        return {**answer, "sheet": books.rank_of(document, place), "left": sorted(source.left)}
    except DisposedException:
        raise
    except IndexError:
        return {"ok": False, "reason": "sheet", "sheets": answer["sheets"]}
    except Exception as error:
        return {"ok": False, "reason": "store", "detail": str(error)[:500]}
    finally:
        document.close(True)


def corrected(document, job, held):
    """Corrects what the office misreads, or would write otherwise, and returns where."""
    is_page = job["exportFilter"].startswith("HTML")
    answer = {}
    if "Metafile" in job["importFilters"][0]:
        targets.fit_page(document)
    if job["importFilters"] == ["dBase"]:
        books.bare_heads(document)
    if job.get("fromExcel") and not job["toExcel"]:
        books.correct_1900(document)
    if job.get("wholeDays"):
        answer["inexact"] = books.whole_days(document)
    if held:
        answer["restored"], answer["unknown"] = results.restore(document, job["input"], held.telling, held.is_stale)
    if job.get("fromExcel"):
        links.shorten(document, job["input"], is_page)
        books.restore_truth(document)
    if job.get("toExcel") and not job["fromExcel"]:
        books.days_of_excel(document)
    if not job["exportFilter"].startswith("writer"):
        fields.hide_sections(document)
    answer["isNameless"] = fields.drop_names(document, job["input"], job["exportFilter"].startswith("calc_"))
    if job.get("losesTabs"):
        answer["spaced"], controls = books.space_tabs(document)
        answer["controls"] = [] if is_page else controls
    return answer


def wipe():
    """Removes everything of a document before the next one. Keeps sockets,
    which connect us to the office, and folders, which it creates only once."""
    for folder, folders, files in os.walk(TEMPORARY):
        folders[:] = [name for name in folders if os.path.join(folder, name) != PROFILE]
        for path in (os.path.join(folder, name) for name in files):
            if os.path.islink(path) or os.path.isfile(path):
                os.unlink(path)


def serve(context, answers, rest=lambda: None):
    """Answers requests until there are no more. `rest` is called after each document."""
    here = families_here()
    desktop = context.ServiceManager.createInstanceWithContext("com.sun.star.frame.Desktop", context)
    for line in sys.stdin:
        job = json.loads(line)
        if job.get("ready"):
            answer = {"ready": True}
        else:
            answer = convert(context, desktop, job, here)
            wipe()
            rest()
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    seed_profile()
    serve(connect(), sys.stdout)
