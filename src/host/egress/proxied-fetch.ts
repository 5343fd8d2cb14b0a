// Requests to endpoints that the user has configured: by the proxy of the machine where the environment names one.
import type { Environment } from '../processes/environment.ts'

/** Returns the settings of the environment, as undici takes them. */
export const proxySettings = (environment: Environment) => ({
  httpProxy: environment.http_proxy ?? environment.HTTP_PROXY ?? '',
  httpsProxy: environment.https_proxy ?? environment.HTTPS_PROXY ?? '',
  noProxy: [environment.no_proxy ?? environment.NO_PROXY, 'localhost,127.0.0.1,::1'].filter(Boolean).join(',')
})

/** Returns a function like `fetch`. */
export function createFetch(environment: Environment): typeof fetch {
  const { httpProxy, httpsProxy, noProxy } = proxySettings(environment)
  if (httpProxy === '' && httpsProxy === '') return fetch
  let agent: Promise<{ undici: typeof import('undici'); dispatcher: import('undici').Dispatcher }> | undefined
  const open = async () => {
    const undici = await import('undici')
    return { undici, dispatcher: new undici.EnvHttpProxyAgent({ httpProxy, httpsProxy, noProxy, proxyTunnel: false }) }
  }
  return async (url, init) => {
    agent ??= open()
    const { undici, dispatcher } = await agent
    return (await undici.fetch(url as string, { ...(init as object), dispatcher })) as unknown as Response
  }
}
