// Styles with values that change: style=${styleValues({ width: "40%" })}. The styleMap of Lit writes the first value as
// an attribute, which the content security policy forbids; this writes properties alone.

import { noChange } from "lit";
import { Directive, directive } from "lit/directive.js";

class StyleValues extends Directive {
  #names = [];

  render() {
    return noChange;
  }

  update(part, [values]) {
    const style = part.element.style;
    for (const name of this.#names) {
      if (!(name in values)) {
        style.removeProperty(name);
      }
    }
    for (const [name, value] of Object.entries(values)) {
      style.setProperty(name, value);
    }
    this.#names = Object.keys(values);
    return noChange;
  }
}

/** Names as in CSS ("margin-left", "--share"), not in camelCase. */
export const styleValues = directive(StyleValues);
