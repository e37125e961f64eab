/**
 * The OpenAPI document of the API, which is both served to readers and used to validate requests,
 * so that the two cannot differ. Its schemas are compiled into rules (the part of JSON Schema
 * 2020-12 that the document uses); an unknown keyword is refused at start. The document is written
 * in parts, one file per resource; the resource {@code openapi.json} lists where each path and
 * component is, and {@link OpenApiParts} joins them. Start at {@link OpenApiDocument}, then read
 * {@link SchemaCompiler}.
 */
@NullMarked
package dev.millrace.http.openapi;

import org.jspecify.annotations.NullMarked;
