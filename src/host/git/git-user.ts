// Locates the user's own configuration of git.
import path from 'node:path'
import { homeFolder, xdgFolder } from '../../server/xdg.ts'
import type { GitUserFolders } from '../files/policy/git-programs.ts'
import type { Environment } from '../processes/environment.ts'

/** Variables that name other files than the usual ones. */
const CONFIG_VARIABLES = ['GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'GIT_CONFIG_NOSYSTEM'] as const

export function gitUserFolders(environment: Environment): GitUserFolders {
  const home = homeFolder(environment)
  const folder = path.join(xdgFolder(environment, 'XDG_CONFIG_HOME', '.config'), 'git')
  const { GIT_CONFIG_GLOBAL: global, GIT_CONFIG_SYSTEM: system = '/etc/gitconfig' } = environment
  const own = global === undefined ? [path.join(home, '.gitconfig'), path.join(folder, 'config')] : [global]
  const variables = CONFIG_VARIABLES.flatMap(name => {
    const value = environment[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return { home, folder, files: [system, ...own].filter(file => file !== ''), variables: Object.fromEntries(variables) }
}
