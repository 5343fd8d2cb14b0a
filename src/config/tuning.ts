// Limits and times that no user needs to set. They have the shape of settings, so that a program that starts the app, such as a test,
// can give others.

export const TUNING = {
  cache: {
    /** Memory for kept results. */
    max_bytes: 33_554_432
  },
  events: {
    /** Interval between comments on a quiet stream. */
    heartbeat_ms: 15_000,
    /** Bytes that may wait for a slow reader before it is disconnected, to resume. */
    reader_bytes: 1_048_576,
    /** Time for which a reader may take nothing before it is disconnected, to resume. */
    stall_ms: 30_000
  },
  search: {
    embeddings: {
      /** Number of texts in one request. */
      batch: 16,
      timeout_ms: 10_000,
      /** Maximum number of pieces of files that get a vector, which takes 4 bytes of memory per dimension. */
      max_pieces: 50_000
    }
  },
  buffers: {
    /** Time in which an editor must report that it has made a change. */
    delegate_ms: 8_000,
    /** Maximum number of buffers that editors may report, and memory for their texts. */
    max_files: 1_000,
    max_bytes: 33_554_432
  },
  front_ends: {
    /** Time in which a front end whose stream ended may come back before the effects requested from it fail. */
    grace_ms: 15_000,
    /** Maximum number of views of waiting calls that are open at one front end. */
    max_views: 16
  },
  web: {
    /** Fetched pages that are kept, so that a long one is read on without another request. */
    cache: { max_bytes: 33_554_432, ttl_ms: 900_000 },
    search: { timeout_ms: 10_000 }
  },
  notifications: {
    /** Time limit of one attempt to send. */
    timeout_ms: 10_000,
    /** Pause after the first failed attempt; each further one is four times as long, up to `max_retry_ms`. */
    retry_ms: 5_000,
    max_retry_ms: 21_600_000,
    /** Attempts, and the time since the first, after which a notification is given up. */
    tries: 10,
    give_up_ms: 86_400_000,
    /** Time for which someone who asked for the waiting calls counts as watching. */
    watch_ms: 30_000,
    /** Maximum number of undelivered notifications. Further calls are notified about when there is room. */
    max_rows: 1_000,
    /** Maximum number of requests of one channel at a time. */
    concurrency: 4
  },
  mcp: {
    /** Time for which a call waits for a server that is still starting. */
    wait_ms: 10_000
  },
  custom_tools: {
    /** Maximum number of processes of modules, including those kept for the next call. */
    processes: 16,
    /** Time for which an unused process is kept. */
    idle_ms: 60_000,
    /** Time in which a module must load. */
    start_ms: 10_000,
    /** Maximum size of a module's result. */
    answer_bytes: 4_194_304
  },
  commands: {
    /** Silence after which a running command is reported. */
    quiet_ms: 60_000,
    /** Number of ended jobs that are still listed. */
    keep_jobs: 100
  },
  language_servers: {
    /** Maximum number of servers that run at once; the one used longest ago is stopped for another. */
    max_servers: 8,
    /** Time after which an unused server is stopped. */
    idle_ms: 600_000,
    /** Time in which a server must respond once it has read the project. */
    answer_ms: 10_000
  }
}

/** A type with the properties of another, also in nested objects. */
type Merged<A, B> = Omit<A, keyof B> & {
  [K in keyof B]: K extends keyof A ? (B[K] extends object ? Merged<A[K], B[K]> : B[K]) : B[K]
}
export type Tuned<Config> = Merged<Config, typeof TUNING>
