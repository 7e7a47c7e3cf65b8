// NRFManager.swift imports Foundation, and programs that carry it use Data, DispatchQueue and NSObject with no other import (contract A1).
@_exported public import Dispatch
@_exported public import Foundation
