// Requests to endpoints that the user has configured: by the proxy of the machine where the environment names one.
import type { Environment } from '../processes/environment.ts'
import { UpstreamProxy } from './upstream-proxy.ts'

/** Returns a function like `fetch`. */
export function createFetch(environment: Environment): typeof fetch {
  const settings = UpstreamProxy.fromEnvironment(environment)?.settings()
  if (!settings) return fetch
  let agent: Promise<{ undici: typeof import('undici'); dispatcher: import('undici').Dispatcher }> | undefined
  const open = async () => {
    const undici = await import('undici')
    return { undici, dispatcher: new undici.EnvHttpProxyAgent({ ...settings, proxyTunnel: false }) }
  }
  return async (url, init) => {
    agent ??= open()
    const { undici, dispatcher } = await agent
    return (await undici.fetch(url as string, { ...(init as object), dispatcher })) as unknown as Response
  }
}
