/** JSON as plain Java values, small and quick to start: core has no dependencies. */
@NullMarked
package dev.millrace.core.json;

import org.jspecify.annotations.NullMarked;
