// Requests to a model's API: retries when it is busy, and parses JSON written by the model.
import { setTimeout } from 'node:timers/promises'

export interface Endpoint {
  url: string
  key: string
  model: string
  signal: AbortSignal
}

interface Post {
  path: string
  headers: Record<string, string>
  body: object
}

const TRIES = 4

export async function post<T>({ url, signal }: Endpoint, { path, headers, body }: Post): Promise<T> {
  for (let pause_ms = 1_000, tries = 1; ; pause_ms *= 2, tries += 1) {
    const response = await fetch(url.replace(/\/+$/, '') + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
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

/** Parses a JSON object written by a model; undefined if it is none. */
export function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text || '{}')
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}
