/** Texts over earlier results: how one stage's results become the next stage's tasks. */
@NullMarked
package dev.millrace.core.template;

import org.jspecify.annotations.NullMarked;
