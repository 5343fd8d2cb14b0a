// Fixture: an OpenID provider on loopback whose person, and whose lies, a test chooses.
import { OAuth2Server } from 'oauth2-mock-server'
import type { Test } from 'tap'
import { within } from '../support/wait.ts'

export async function startProvider(t: Test) {
  const server = new OAuth2Server()
  await server.issuer.keys.generate('RS256')
  await within('the provider to listen', server.start(0, '127.0.0.1'))
  t.teardown(() => server.stop())
  const provider = {
    issuer: new URL(server.issuer.url!),
    /** Claims of the person who signs in; they replace those that the provider sets. */
    claims: {} as Record<string, unknown>,
    /** Changes the address that browsers are sent back to. */
    changeRedirect: (_url: URL) => {},
    /** Changes the tokens that it answers with. */
    changeTokens: (_tokens: Record<string, string>) => {},
    /** Goes through the provider as the person, and returns path and query of the hub that it leads back to. */
    async signIn(url: string): Promise<string> {
      const { headers } = await within('the provider', fetch(url, { redirect: 'manual' }))
      const { pathname, search } = new URL(headers.get('location')!)
      return pathname + search
    },
    server
  }
  server.service.on('beforeTokenSigning', ({ payload }: { payload: object }) => Object.assign(payload, provider.claims))
  server.service.on('beforeAuthorizeRedirect', ({ url }: { url: URL }) => provider.changeRedirect(url))
  server.service.on('beforeResponse', ({ body }: { body: Record<string, string> }) => provider.changeTokens(body))
  server.service.on('beforeUserinfo', (answer: { body: Record<string, unknown> }) => {
    answer.body.sub = provider.claims.sub
  })
  return provider
}
