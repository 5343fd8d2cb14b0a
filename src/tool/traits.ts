// Traits of a tool: how the engine treats its calls besides what they do.

export interface Traits<I = unknown> {
  /** The param with the subject of a call, if it is not the first required one, or else the first. */
  primary?: string
  /** It is served but not listed: a route calls it and passes its content. `with_mcp_servers`: listed only if one is configured. */
  listed?: 'never' | 'with_mcp_servers'
  /** A second run is harmless, so a recoverable error may be retried. */
  idempotent?: boolean
  /** The result depends only on the params and the files that the request reads or lists (except ignored ones). */
  cacheable?: boolean | ((input: I) => boolean)
  /** Its plan depends only on the params and the snapshots that it takes: it is used again while those files are unchanged. */
  plansFromFiles?: boolean
  /** It receives an upload, which is removed once the call has ended. */
  receivesUpload?: boolean
  /** Its output is captured and can be read by offset. */
  capturesOutput?: boolean
  /** It settles early once `jobs.detachSignal` aborts, and leaves a job. Any other call continues in the background. */
  detachable?: boolean | ((input: I) => boolean)
  /** It starts nothing and returns quickly, so it bypasses the queue of its effect. */
  skipsQueue?: boolean
  /** It keeps all processors busy while it runs, so that few such calls run at once; by default false. */
  usesAllProcessors?: boolean | ((input: I) => boolean)
  /** While it runs it waits for a front end, so it occupies no slot and locks no files. */
  awaitsFrontEnd?: boolean
}
