/** Tests of what every store does alike, apart from what the contract covers. */
@NullMarked
package dev.millrace.core.internal.store;

import org.jspecify.annotations.NullMarked;
