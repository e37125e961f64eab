/** What stores share when they write jobs as records, and make jobs of records. */
@NullMarked
package dev.millrace.core.internal.move;

import org.jspecify.annotations.NullMarked;
