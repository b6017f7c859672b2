// What went wrong between the page and the server, for people.

import type { Failure } from "../view/notices";
import { ApiError } from "./api";

export function failureOf(error: unknown): Failure {
  if (error instanceof ApiError) return { error: error.message, remedy: error.remedy };
  return { error: error instanceof Error ? error.message : String(error), remedy: "" };
}

export function failureText(error: unknown): string {
  const { error: text, remedy } = failureOf(error);
  return remedy === "" ? text : `${text} ${remedy}`;
}
