/** Tests with real programs and real signals. */
@NullMarked
package dev.millrace.server.exec;

import org.jspecify.annotations.NullMarked;
