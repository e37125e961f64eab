/**
 * The page for people: its own files and the ES modules of WebJars that they import, as they are on
 * the class path, and the import map with its content security policy. Start at {@link
 * dev.millrace.http.page.PageRouteGroup}.
 */
@NullMarked
package dev.millrace.http.page;

import org.jspecify.annotations.NullMarked;
