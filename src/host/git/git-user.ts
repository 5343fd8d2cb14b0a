// Locates the user's own configuration of git.
import path from 'node:path'
import { homeFolder, xdgFolder } from '../../server/xdg.ts'
import type { GitUserFolders } from '../files/policy/git-programs.ts'
import type { Environment } from '../processes/environment.ts'

export const gitUserFolders = (environment: Environment): GitUserFolders => ({
  home: homeFolder(environment),
  folder: path.join(xdgFolder(environment, 'XDG_CONFIG_HOME', '.config'), 'git')
})
