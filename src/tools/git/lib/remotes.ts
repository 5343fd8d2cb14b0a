// Determines the remote of a branch from the repository's settings, and its remote-tracking branch.
import { invalidParam, ToolError } from '../../../errors.ts'
import { lastValue } from '../../../host/git/configuration.ts'
import type { Repository } from '../../../host/git/repository.ts'
import { HEADS } from '../../../text/ref-name.ts'

interface Remote {
  name: string
  url: string
  pushurl: string | undefined
}

/** Returns the named remote, else the branch's push remote, else the only one, else `origin`. */
export function selectRemote(repository: Repository, requested: string | undefined, branch: string): Remote {
  const { allSettings } = repository.configuration
  const names = [...new Set(allSettings.flatMap(([key]) => /^remote\.(.+)\.(?:url|pushurl)$/s.exec(key)?.[1] ?? []))]
  const usual = [`branch.${branch}.pushremote`, 'remote.pushdefault', `branch.${branch}.remote`].map(key =>
    lastValue(allSettings, key)
  )
  const name = requested ?? usual.find(each => each !== undefined) ?? (names.length === 1 ? names[0]! : 'origin')
  if (!names.includes(name)) throw unknownRemoteError(name, names, requested !== undefined)
  const [urls, pushurls] = ['url', 'pushurl'].map(kind =>
    allSettings.flatMap(([key, value]) => (key === `remote.${name}.${kind}` ? [value] : []))
  ) as [string[], string[]]
  const targets = pushurls.length > 0 ? pushurls : urls
  if (new Set(targets).size > 1)
    throw new ToolError(
      'CONFLICT',
      `${name} has several push URLs. Configure a remote for each URL, and give its name as \`remote\`.`,
      {
        remote: name
      }
    )
  return { name, url: (urls[0] ?? pushurls[0])!, pushurl: pushurls[0] }
}

function unknownRemoteError(name: string, names: readonly string[], isRequested: boolean) {
  const known = names.length === 0 ? 'there are no remotes' : `available: ${names.join(', ')}`
  if (isRequested) return invalidParam('remote', `is not a remote of this repository; ${known}.`)
  return new ToolError('CONFLICT', `There is no remote ${JSON.stringify(name)} to push to; ${known}.`, { remote: name })
}

/** Returns the remote-tracking branch; undefined if there is none. */
export function trackingRef(repository: Repository, remote: string, branch: string): string | undefined {
  const ref = HEADS + branch
  for (const [key, value] of repository.configuration.allSettings) {
    if (key !== `remote.${remote}.fetch`) continue
    const [from = '', to = ''] = value.replace(/^\+/, '').split(':')
    const [before = '', after] = from.split('*')
    if (!to.startsWith('refs/remotes/')) continue
    if (after === undefined) {
      if (from === ref) return to
    } else if (ref.length >= before.length + after.length && ref.startsWith(before) && ref.endsWith(after))
      return to.replace('*', () => ref.slice(before.length, ref.length - after.length))
  }
  return undefined
}
