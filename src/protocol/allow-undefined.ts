// Types of wire objects within the server.

/** The same object, whose fields may also be undefined where they are optional. */
export type AllowUndefined<T> = { [K in keyof T]: object extends Pick<T, K> ? T[K] | undefined : T[K] }
