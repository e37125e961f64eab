@NullMarked
package dev.millrace.server.api;

import org.jspecify.annotations.NullMarked;
