// Requests to a model's API, sent again while it is busy.
import { setTimeout } from 'node:timers/promises'

export interface Endpoint {
  url: string
  key: string
  model: string
  signal: AbortSignal
}

const TRIES = 4

/** Sends a request and resolves with the answer of the model. */
export async function post<T>(
  { url, model, signal }: Endpoint,
  path: string,
  headers: Record<string, string>,
  body: object
): Promise<T> {
  for (let pause_ms = 1_000, tries = 1; ; pause_ms *= 2, tries += 1) {
    const response = await fetch(url.replace(/\/+$/, '') + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ model, ...body }),
      signal
    })
    if (response.ok) return (await response.json()) as T
    const isBusy = response.status === 429 || response.status >= 500
    if (!isBusy || tries === TRIES) throw new Error(`The model answered ${response.status}: ${await response.text()}`)
    const asked_ms = Number(response.headers.get('retry-after') ?? Number.NaN) * 1_000
    await response.body?.cancel()
    await setTimeout(asked_ms >= 0 ? Math.min(asked_ms, 60_000) : pause_ms, undefined, { signal })
  }
}
