@NullMarked
package dev.millrace.server.infer;

import org.jspecify.annotations.NullMarked;
