@NullMarked
package dev.millrace.client;

import org.jspecify.annotations.NullMarked;
