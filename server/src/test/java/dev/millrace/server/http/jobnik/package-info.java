/** Tests of the Jobnik face. */
@NullMarked
package dev.millrace.server.http.jobnik;

import org.jspecify.annotations.NullMarked;
