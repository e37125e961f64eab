/** The faces of Millrace over HTTP, and the workers that a server runs. */
@NullMarked
package dev.millrace.server;

import org.jspecify.annotations.NullMarked;
