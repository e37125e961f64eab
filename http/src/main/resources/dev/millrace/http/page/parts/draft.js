// What was written in a form stays in this tab while one looks at other views.

export function readDraft(name) {
  try {
    return JSON.parse(sessionStorage.getItem(`millrace-draft-${name}`) ?? "{}");
  } catch {
    return {};
  }
}

export function writeDraft(name, draft) {
  try {
    sessionStorage.setItem(`millrace-draft-${name}`, JSON.stringify(draft));
  } catch {
    // Storage may be off or full; the draft then lasts as long as the view.
  }
}
