/**
 * Constrained generation: a {@link Grammar}, from GBNF or from a {@link JsonSchema}, is compiled
 * with a vocabulary into a {@link Constraint}, which says which tokens may come next. Start at
 * {@link Grammar}; {@link Constraint} is what a request carries.
 */
@NullMarked
package dev.millrace.engine.grammar;

import org.jspecify.annotations.NullMarked;
