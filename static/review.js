// Keys of the review desk. Everything here also works without it, by pointer or Tab.
// Single keys act only outside fields, without modifiers and outside input-method composition.

const form = document.querySelector("[data-judgment]");
const reason = form?.querySelector("textarea");

const inField = (target) => target.closest("textarea, select, input:not([type=radio])") !== null;

function choose(key) {
  const radio = form.querySelector(`input[name=verdict][data-key="${key}"]`);
  if (!radio || radio.disabled) return false;
  radio.checked = true;
  radio.dispatchEvent(new Event("change", { bubbles: true }));
  return true;
}

// Supported accepts the highlighted passage: visibly, in the list, where it can be changed.
function acceptPassage() {
  const list = form.querySelector("select[name=location]");
  const supported = form.querySelector("input[name=verdict]:checked")?.value === "supported";
  if (!list) return;
  list.hidden = !supported;
  if (supported && !list.value && list.options.length > 1) list.selectedIndex = 1;
}

function submit() {
  if (form.dataset.sent) return;
  form.requestSubmit();
}

function follow(rel) {
  const link = document.querySelector(`a[rel=${rel}]`);
  if (link) link.click();
}

if (form) {
  form.addEventListener("change", acceptPassage);
  acceptPassage();
  form.addEventListener("submit", () => {
    // A second press while the first is under way would only be answered the same.
    form.dataset.sent = "1";
    const state = document.getElementById("draft-state");
    if (state) state.textContent = "Saving…";
  });
  // The back button may restore the page as it was left.
  window.addEventListener("pageshow", () => delete form.dataset.sent);

  document.addEventListener("keydown", (event) => {
    if (event.isComposing || event.altKey) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      submit();
      return;
    }
    if (event.ctrlKey || event.metaKey) return;
    if (event.key === "Escape" && inField(event.target)) {
      event.target.blur();
      return;
    }
    if (inField(event.target)) return;
    if (event.key === "Enter" && !event.target.closest("a, button, summary")) {
      event.preventDefault();
      submit();
    } else if (["1", "2", "3"].includes(event.key)) {
      event.preventDefault();
      if (choose(event.key) && event.key !== "1") reason.focus();
    } else if (event.key === "j") {
      follow("next");
    } else if (event.key === "k") {
      follow("prev");
    }
  });

  const state = document.getElementById("draft-state");
  document.body.addEventListener("htmx:sendError", () => {
    state.textContent = "Not saved: no connection. Your text stays here.";
    state.className = "state bad";
  });
  document.body.addEventListener("htmx:responseError", (event) => {
    state.textContent =
      event.detail.xhr.status === 401
        ? "You are signed out. Sign in in another tab, then reload this page; copy your text first."
        : "Not saved. Your text stays here; try again.";
    state.className = "state bad";
  });
  // Where the panes stand below each other the claim comes first; there the page stays at its top.
  if (window.matchMedia("(min-width: 56.01rem)").matches) {
    document.querySelector("mark")?.scrollIntoView({ block: "center" });
  }
}
