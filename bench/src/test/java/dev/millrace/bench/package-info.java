/** Tests of the measurements that are checks as well. */
@NullMarked
package dev.millrace.bench;

import org.jspecify.annotations.NullMarked;
