/** Code says what kind of error a plugin reports; the numbers are those of google.rpc.Code. */
export enum Code {
  Cancelled = 1,
  Unknown = 2,
  InvalidArgument = 3,
  DeadlineExceeded = 4,
  NotFound = 5,
  AlreadyExists = 6,
  PermissionDenied = 7,
  ResourceExhausted = 8,
  FailedPrecondition = 9,
  Aborted = 10,
  OutOfRange = 11,
  Unimplemented = 12,
  Internal = 13,
  Unavailable = 14,
  DataLoss = 15,
  Unauthenticated = 16,
}

/** Failure is an answer that says why there is no result. The instance goes on. */
export class Failure {
  constructor(public code: Code, public text: string) {}
}

/** notOffered is the text of a failure of code Unimplemented. */
export function notOffered(method: i32): string {
  return `method ${method} is not offered by this component`;
}
