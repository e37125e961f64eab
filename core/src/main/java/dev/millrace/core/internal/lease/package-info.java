/** The leases of claims whose workers are other processes. */
@NullMarked
package dev.millrace.core.internal.lease;

import org.jspecify.annotations.NullMarked;
