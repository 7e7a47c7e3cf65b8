// `import CoreBluetooth` brings Foundation along, and programs rely on it: they use Data, UUID and DispatchQueue with no other import (contract A1).
@_exported public import Dispatch
@_exported public import Foundation
