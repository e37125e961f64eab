/**
 * The values of a rendering are Python's: {@link None}, Boolean, Long or BigInteger, Double,
 * {@link PyString}, List, {@link Tuple}, Map, and those that only a template makes ({@link Undefined}, {@link
 * TemplateNamespace}, {@link LoopVariable}). Their types, truth, text ({@code str}, {@code repr})
 * and comparison are here, and the {@link RenderBudget} that every operation is charged to. Start
 * at {@link PyTypes}; this package depends on no other of the template language.
 */
@NullMarked
package dev.millrace.engine.internal.jinja.value;

import org.jspecify.annotations.NullMarked;
