import gitBlame from './git_blame.ts'
import gitBranch from './git_branch.ts'
import gitCommit from './git_commit.ts'
import gitDiff from './git_diff.ts'
import gitLog from './git_log.ts'
import gitPush from './git_push.ts'
import gitShow from './git_show.ts'
import gitStatus from './git_status.ts'

export default [gitStatus, gitDiff, gitLog, gitShow, gitBlame, gitBranch, gitCommit, gitPush]
