import { createApp } from 'octavo'

import { report } from './report.ts'

if (typeof createApp === 'function') await report()
