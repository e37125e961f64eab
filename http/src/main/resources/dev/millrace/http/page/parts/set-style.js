// CSS properties of an element that change with data.

import { noChange } from "lit";
import { Directive, PartType, directive } from "lit/directive.js";

/**
 * `<div ${setStyle({ left: "3px", "--at": 0.5 })}>` sets the properties through the CSSOM. Lit's styleMap writes a style
 * attribute when it renders first, which the content security policy refuses.
 */
class SetStyle extends Directive {
  #before = {};

  constructor(part) {
    super(part);
    if (part.type !== PartType.ELEMENT) {
      throw new Error("setStyle stands inside of a tag, not in an attribute");
    }
  }

  render() {
    return noChange;
  }

  update({ element }, [properties]) {
    for (const name of Object.keys(this.#before)) {
      if (!(name in properties)) {
        element.style.removeProperty(name);
      }
    }
    for (const [name, value] of Object.entries(properties)) {
      if (this.#before[name] !== value) {
        element.style.setProperty(name, value);
      }
    }
    this.#before = properties;
    return noChange;
  }
}

export const setStyle = directive(SetStyle);
